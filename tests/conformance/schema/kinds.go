package main

import (
	"reflect"
	"sort"

	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	apidiscoveryv2beta1 "k8s.io/api/apidiscovery/v2beta1"
	imagepolicyv1alpha1 "k8s.io/api/imagepolicy/v1alpha1"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	aggregatorv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	aggregatorv1beta1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1beta1"
)

// scheme holds every external version of every kind the API server or its clients know.
var scheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientscheme.AddToScheme, apiextv1.AddToScheme, apiextv1beta1.AddToScheme,
		aggregatorv1.AddToScheme, aggregatorv1beta1.AddToScheme,
		admissionv1.AddToScheme, admissionv1beta1.AddToScheme, imagepolicyv1alpha1.AddToScheme,
		apidiscoveryv2.AddToScheme, apidiscoveryv2beta1.AddToScheme,
	} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	return s
}()

type kind struct {
	gvk runtimeschema.GroupVersionKind
	typ reflect.Type
}

// kinds lists all registered kinds in order; the metav1 kinds that are registered in every group (ListOptions,
// WatchEvent, …) are listed once, in the core group.
func kinds() []kind {
	var all []kind
	for gvk, t := range scheme.AllKnownTypes() {
		if gvk.Version == runtime.APIVersionInternal {
			continue
		}
		if t.PkgPath() == "k8s.io/apimachinery/pkg/apis/meta/v1" && (gvk.Group != "" || gvk.Version != "v1") {
			continue
		}
		all = append(all, kind{gvk, t})
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i].gvk, all[j].gvk
		if a.Group != b.Group {
			return a.Group < b.Group
		}
		if a.Version != b.Version {
			return a.Version < b.Version
		}
		return a.Kind < b.Kind
	})
	return all
}
