package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand"
	"reflect"
	"strings"
	"time"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	protobuf "k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// The corpus: for every kind with a protobuf form, objects filled by four rules and encoded by the original.
//
// Records follow one another; each is four byte strings, each with its length as uint32 little endian in front:
// "group/version/kind variant", the JSON, the protobuf value with its envelope, and the JSON after decoding that
// protobuf value (empty when it is the same as the first).

const (
	variantZero  = iota // nothing set
	variantEmpty        // pointers to zero values, empty lists and maps
	variantFull         // every field, from its path
	variantMix          // a seeded half of the fields with odd values
	variants
)

var variantNames = [...]string{"zero", "empty", "full", "mix"}

type filler struct {
	variant int
	rng     *rand.Rand
	stack   map[reflect.Type]int
}

func writeCorpus(out *bufio.Writer) error {
	codec := protobuf.NewSerializer(scheme, scheme)
	n := 0
	for _, k := range kinds() {
		if !isProtoMessage(k.typ) {
			continue
		}
		for v := 0; v < variants; v++ {
			if strings.HasSuffix(k.gvk.Kind, "List") && v != variantZero && v != variantFull {
				continue
			}
			h := fnv.New64a()
			fmt.Fprint(h, k.gvk.String())
			f := &filler{v, rand.New(rand.NewSource(int64(h.Sum64()))), map[reflect.Type]int{}}
			obj := reflect.New(k.typ)
			f.fill(obj.Elem(), "", strings.HasSuffix(k.gvk.Kind, "List"))
			first, err := json.Marshal(obj.Interface())
			if err != nil {
				return fmt.Errorf("%v: %w", k.gvk, err)
			}
			// What JSON cannot tell apart must not be in the object either.
			again := reflect.New(k.typ)
			if err := json.Unmarshal(first, again.Interface()); err != nil {
				return fmt.Errorf("%v: %w", k.gvk, err)
			}
			o := again.Interface().(runtime.Object)
			o.GetObjectKind().SetGroupVersionKind(k.gvk)
			text, err := json.Marshal(o)
			if err != nil {
				return err
			}
			var pb bytes.Buffer
			if err := codec.Encode(o, &pb); err != nil {
				return fmt.Errorf("%v: %w", k.gvk, err)
			}
			back := reflect.New(k.typ).Interface().(runtime.Object)
			if _, _, err := codec.Decode(pb.Bytes(), nil, back); err != nil {
				return fmt.Errorf("%v: %w", k.gvk, err)
			}
			back.GetObjectKind().SetGroupVersionKind(k.gvk)
			text2, err := json.Marshal(back)
			if err != nil {
				return err
			}
			if bytes.Equal(text, text2) {
				text2 = nil
			}
			name := fmt.Sprintf("%s/%s/%s %s", k.gvk.Group, k.gvk.Version, k.gvk.Kind, variantNames[v])
			for _, b := range [][]byte{[]byte(name), text, pb.Bytes(), text2} {
				binary.Write(out, binary.LittleEndian, uint32(len(b)))
				out.Write(b)
			}
			n++
		}
	}
	warn(n, "records")
	return nil
}

var oddStrings = []string{"", "a", "<b>&\u2028", "\"q\\", "한글 日本", "line\nbreak\t", "\u0001", "😀", "0", "true"}
var oddQuantities = []string{"0", "1", "100m", "64Mi", "1.5Gi", "1e3", "0.5", "1500m", "12345678901234567890", "-2", "1n", "3k", "1.500"}

func (f *filler) fill(v reflect.Value, path string, shallow bool) {
	if f.variant == variantZero {
		return
	}
	t := v.Type()
	switch x := v.Addr().Interface().(type) {
	case *metav1.Time:
		if f.variant == variantFull || f.variant == variantMix && f.rng.Intn(3) > 0 {
			x.Time = time.Unix(1767225600+int64(hash(path)%100000000), 0).UTC()
		}
		return
	case *metav1.MicroTime:
		if f.variant == variantFull || f.variant == variantMix && f.rng.Intn(3) > 0 {
			x.Time = time.Unix(1767225600+int64(hash(path)%100000000), int64(hash(path)%1000000)*1000).UTC()
		}
		return
	case *metav1.Duration:
		if f.variant != variantEmpty {
			x.Duration = time.Duration(int64(hash(path))) * 1001 % (100 * time.Hour)
		}
		return
	case *metav1.FieldsV1:
		if f.variant != variantEmpty {
			x.SetRawBytes([]byte(fmt.Sprintf(`{"f:%s":{".":{}}}`, path)))
		}
		return
	case *resource.Quantity:
		switch f.variant {
		case variantFull:
			*x = resource.MustParse(fmt.Sprintf("%dm", 1+hash(path)%5000))
		case variantMix:
			*x = resource.MustParse(oddQuantities[f.rng.Intn(len(oddQuantities))])
		}
		return
	case *intstr.IntOrString:
		switch {
		case f.variant == variantEmpty:
		case hash(path)%2 == 0:
			*x = intstr.FromInt32(int32(hash(path) % 65536))
		default:
			*x = intstr.FromString(path)
		}
		return
	case *runtime.RawExtension:
		if f.variant != variantEmpty {
			x.Raw = []byte(fmt.Sprintf(`{"kind":"K","path":"%s"}`, path))
		}
		return
	case *apiextv1.JSON:
		if f.variant != variantEmpty {
			x.Raw = []byte(fmt.Sprintf(`"%s"`, path))
		} else {
			x.Raw = []byte(`{}`)
		}
		return
	case *apiextv1beta1.JSON:
		if f.variant != variantEmpty {
			x.Raw = []byte(fmt.Sprintf(`"%s"`, path))
		} else {
			x.Raw = []byte(`{}`)
		}
		return
	}
	switch t.Kind() {
	case reflect.Bool:
		if f.variant != variantEmpty {
			v.SetBool(f.variant == variantFull || f.rng.Intn(2) == 0)
		}
	case reflect.Int32, reflect.Int64:
		switch f.variant {
		case variantFull:
			v.SetInt(int64(hash(path)%1000) + 1)
		case variantMix:
			odd := []int64{0, 1, -1, 127, 128, 1 << 20, -(1 << 31), 1<<31 - 1, 1 << 40, -1 << 63, 1<<63 - 1}
			n := odd[f.rng.Intn(len(odd))]
			if v.OverflowInt(n) {
				n = int64(int32(n))
			}
			v.SetInt(n)
		}
	case reflect.Float64:
		if f.variant != variantEmpty {
			v.SetFloat(float64(hash(path)%1000) / 8)
		}
	case reflect.String:
		switch f.variant {
		case variantFull:
			v.SetString(path)
		case variantMix:
			v.SetString(oddStrings[f.rng.Intn(len(oddStrings))])
		}
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.Struct && f.stack[t.Elem()] > 1 {
			return
		}
		if f.variant == variantMix && f.rng.Intn(2) == 0 {
			return
		}
		p := reflect.New(t.Elem())
		f.fill(p.Elem(), path, shallow)
		v.Set(p)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			switch f.variant {
			case variantFull:
				v.SetBytes([]byte(path))
			case variantMix:
				v.SetBytes([]byte{0, 1, 0xfe, 0xff}[:f.rng.Intn(5)])
			}
			return
		}
		n := 0
		switch {
		case f.variant == variantFull:
			n = 1
			if t.Elem().Kind() != reflect.Struct {
				n = 2
			}
		case f.variant == variantMix:
			n = f.rng.Intn(3)
		}
		if t.Elem().Kind() == reflect.Struct && f.stack[t.Elem()] > 1 {
			n = 0
		}
		s := reflect.MakeSlice(t, n, n)
		for i := 0; i < n; i++ {
			if !(shallow && t.Elem().Kind() == reflect.Struct && path == ".items") {
				f.fill(s.Index(i), fmt.Sprintf("%s[%d]", path, i), shallow)
			}
		}
		v.Set(s)
	case reflect.Map:
		n := 0
		switch {
		case f.variant == variantFull:
			n = 2
		case f.variant == variantMix:
			n = f.rng.Intn(3)
		}
		if t.Elem().Kind() == reflect.Struct && f.stack[t.Elem()] > 1 {
			n = 0
		}
		m := reflect.MakeMap(t)
		for i := 0; i < n; i++ {
			k := reflect.New(t.Key()).Elem()
			k.SetString([]string{"zeta/x", "alpha"}[i])
			e := reflect.New(t.Elem()).Elem()
			f.fill(e, path+"."+k.String(), shallow)
			m.SetMapIndex(k, e)
		}
		v.Set(m)
	case reflect.Struct:
		f.stack[t]++
		for i := 0; i < t.NumField(); i++ {
			sf := t.Field(i)
			if !sf.IsExported() || t == reflect.TypeOf(metav1.TypeMeta{}) {
				continue
			}
			name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
			p := path
			if name == "-" {
				continue
			}
			if name != "" {
				p += "." + name
			} else if sf.Tag.Get("json") == "" && !sf.Anonymous {
				// The unions of apiextensions: one of their forms.
				if f.stack[t]%2 == 0 != (sf.Name == "Schema") && strings.HasPrefix(t.Name(), "JSONSchemaPropsOr") {
					if sf.Name != "Allows" {
						continue
					}
				}
			}
			f.fill(v.Field(i), p, shallow)
		}
		f.stack[t]--
	default:
		panic(t.String())
	}
}

func hash(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return h.Sum32()
}
