package main

import (
	"bufio"
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
	"sort"
	"strconv"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// The schema file, one record a line, columns separated by tabs:
//
//	#  comment: provenance
//	T  type-id  Go type string  struct marker ("atomic" or "")
//	F  number  json name  flags  type  Go type  element's Go type  list type  list map keys  patch strategy
//	   patch merge key  wrappers  default  enum values
//	K  group  version  kind  type-id
//
// F records belong to the T before them and stand in JSON order (fields of inlined structs in their place).
// number is the protobuf field number inside the innermost wrapper, 0 when the field has no protobuf form.
// wrappers: the inlined structs around the field, outermost first, "number:GoName" joined by "/" (number 0: the
// struct is not a message of its own, as TypeMeta).
// flags: p pointer, o omitempty, z omitzero, r required in the published schema.
// type: bool int32 int64 uint32 uint64 float32 float64 string bytes time microtime duration quantity intorstring
// rawextension fieldsv1 json props-or-array props-or-bool props-or-strings, @type-id a struct, []T a list,
// ~[]T a list which is a message {repeated 1} of its own, map:T a map with string keys.

var specials = map[reflect.Type]string{
	reflect.TypeOf(metav1.Time{}):                                "time",
	reflect.TypeOf(metav1.MicroTime{}):                           "microtime",
	reflect.TypeOf(metav1.Duration{}):                            "duration",
	reflect.TypeOf(metav1.FieldsV1{}):                            "fieldsv1",
	reflect.TypeOf(resource.Quantity{}):                          "quantity",
	reflect.TypeOf(intstr.IntOrString{}):                         "intorstring",
	reflect.TypeOf(runtime.RawExtension{}):                       "rawextension",
	reflect.TypeOf(apiextv1.JSON{}):                              "json",
	reflect.TypeOf(apiextv1beta1.JSON{}):                         "json",
	reflect.TypeOf(apiextv1.JSONSchemaPropsOrArray{}):            "props-or-array",
	reflect.TypeOf(apiextv1beta1.JSONSchemaPropsOrArray{}):       "props-or-array",
	reflect.TypeOf(apiextv1.JSONSchemaPropsOrBool{}):             "props-or-bool",
	reflect.TypeOf(apiextv1beta1.JSONSchemaPropsOrBool{}):        "props-or-bool",
	reflect.TypeOf(apiextv1.JSONSchemaPropsOrStringArray{}):      "props-or-strings",
	reflect.TypeOf(apiextv1beta1.JSONSchemaPropsOrStringArray{}): "props-or-strings",
}

type generator struct {
	out     *bufio.Writer
	queue   []reflect.Type
	seen    map[reflect.Type]bool
	markers *markers
}

func writeSchema(out *bufio.Writer) error {
	info, _ := debug.ReadBuildInfo()
	versions := []string{}
	for _, d := range info.Deps {
		switch d.Path {
		case "k8s.io/api", "k8s.io/apimachinery", "k8s.io/apiextensions-apiserver", "k8s.io/kube-aggregator", "k8s.io/client-go":
			versions = append(versions, d.Path+"@"+d.Version+" "+d.Sum)
		}
	}
	for _, v := range versions {
		fmt.Fprintf(out, "# %s\n", v)
	}
	g := &generator{out: out, seen: map[reflect.Type]bool{}, markers: newMarkers()}
	ks := kinds()
	for _, k := range ks {
		g.need(k.typ)
	}
	for len(g.queue) > 0 {
		t := g.queue[0]
		g.queue = g.queue[1:]
		g.writeType(t)
	}
	for _, k := range ks {
		fmt.Fprintf(out, "K\t%s\t%s\t%s\t%s\n", k.gvk.Group, k.gvk.Version, k.gvk.Kind, typeID(k.typ))
	}
	return nil
}

// typeID is the package path without what all share, a dot and the name: "core/v1.Pod", "meta/v1.ObjectMeta".
func typeID(t reflect.Type) string {
	p := t.PkgPath()
	for _, prefix := range []string{
		"k8s.io/api/", "k8s.io/apimachinery/pkg/apis/", "k8s.io/apimachinery/pkg/",
		"k8s.io/apiextensions-apiserver/pkg/apis/", "k8s.io/kube-aggregator/pkg/apis/",
	} {
		p = strings.TrimPrefix(p, prefix)
	}
	return p + "." + t.Name()
}

func (g *generator) need(t reflect.Type) {
	if !g.seen[t] {
		g.seen[t] = true
		g.queue = append(g.queue, t)
	}
}

func (g *generator) writeType(t reflect.Type) {
	fmt.Fprintf(g.out, "T\t%s\t%s\t%s\n", typeID(t), t.String(), g.markers.ofType(t)["structType"])
	g.writeFields(t, "")
}

func (g *generator) writeFields(t reflect.Type, wrappers string) {
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		number := 0
		if tag := f.Tag.Get("protobuf"); tag != "" && tag != "-" {
			parts := strings.Split(tag, ",")
			n, err := strconv.Atoi(parts[1])
			if err != nil {
				panic(fmt.Sprint(t, f.Name, tag))
			}
			number = n
		}
		tag := f.Tag.Get("json")
		name, opts, _ := strings.Cut(tag, ",")
		if name == "-" || !f.IsExported() {
			continue
		}
		if f.Anonymous && name == "" {
			if f.Type.Kind() != reflect.Struct {
				panic(fmt.Sprint("inlined pointer: ", t, f.Name))
			}
			w := fmt.Sprintf("%d:%s", number, f.Name)
			if wrappers != "" {
				w = wrappers + "/" + w
			}
			g.writeFields(f.Type, w)
			continue
		}
		if name == "" {
			panic(fmt.Sprint("no json name: ", t, f.Name))
		}
		flags := ""
		ft := f.Type
		if ft.Kind() == reflect.Pointer {
			flags += "p"
			ft = ft.Elem()
		}
		m := g.markers.ofField(t, f.Name)
		optional := false
		for _, o := range strings.Split(opts, ",") {
			switch o {
			case "omitempty":
				flags += "o"
				optional = true
			case "omitzero":
				flags += "z"
				optional = true
			case "", "inline":
			default:
				panic("json option " + o)
			}
		}
		if _, ok := m["optional"]; !ok && !optional {
			flags += "r"
		}
		elem := ""
		if (ft.Kind() == reflect.Slice || ft.Kind() == reflect.Map) && ft.Name() != "" {
			elem = ft.Elem().String()
		}
		listType := m["listType"]
		if listType == "" {
			listType = m["mapType"]
		}
		if listType == "" {
			listType = m["structType"]
		}
		cols := []string{
			"F", strconv.Itoa(number), name, flags, g.typeOf(ft), ft.String(), elem,
			listType, m["listMapKey"],
			f.Tag.Get("patchStrategy"), f.Tag.Get("patchMergeKey"), wrappers, m["default"], g.markers.enum(ft),
		}
		fmt.Fprintln(g.out, strings.TrimRight(strings.Join(cols, "\t"), "\t"))
	}
}

func isProtoMessage(t reflect.Type) bool {
	_, ok := reflect.PointerTo(t).MethodByName("MarshalTo")
	return ok
}

func (g *generator) typeOf(t reflect.Type) string {
	if s, ok := specials[t]; ok {
		if strings.HasPrefix(s, "props-or-") {
			p := t.Field(0).Type
			for p.Kind() == reflect.Pointer {
				p = p.Elem()
			}
			if p.Kind() != reflect.Struct {
				p = t.Field(1).Type.Elem()
			}
			g.need(p)
			return s + "@" + typeID(p)
		}
		return s
	}
	switch t.Kind() {
	case reflect.Bool, reflect.Int32, reflect.Int64, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64, reflect.String:
		return t.Kind().String()
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		s := "[]" + g.typeOf(t.Elem())
		if isProtoMessage(t) {
			s = "~" + s
		}
		return s
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			panic("map key " + t.String())
		}
		return "map:" + g.typeOf(t.Elem())
	case reflect.Struct:
		g.need(t)
		return "@" + typeID(t)
	}
	panic("unsupported type " + t.String())
}

func sortedKeys(m map[string]bool) []string {
	out := []string{}
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func warn(args ...any) { fmt.Fprintln(os.Stderr, args...) }
