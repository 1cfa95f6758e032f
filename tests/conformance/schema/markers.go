package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// markers reads the comment markers (+listType, +listMapKey, +optional, +default, +enum …) and the values of
// string enumerations, which reflection does not show, from the packages' sources.
type markers struct {
	packages map[string]*pkgMarkers
}

type pkgMarkers struct {
	types  map[string]map[string]string            // type -> marker -> value
	fields map[string]map[string]map[string]string // type -> field -> marker -> value
	enums  map[string][]string                     // type with +enum -> values
}

func newMarkers() *markers { return &markers{packages: map[string]*pkgMarkers{}} }

func (m *markers) pkg(path string) *pkgMarkers {
	if p, ok := m.packages[path]; ok {
		return p
	}
	p := &pkgMarkers{map[string]map[string]string{}, map[string]map[string]map[string]string{}, map[string][]string{}}
	m.packages[path] = p
	if !strings.Contains(path, "/") {
		return p
	}
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", path).Output()
	if err != nil {
		warn("no source of", path, err)
		return p
	}
	entries, err := os.ReadDir(strings.TrimSpace(string(dir)))
	if err != nil {
		panic(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, filepath.Join(strings.TrimSpace(string(dir)), e.Name()), nil, parser.ParseComments)
		if err != nil {
			panic(err)
		}
		files = append(files, f)
	}
	for _, f := range files {
		p.readTypes(f, fset)
	}
	for _, f := range files {
		p.readEnums(f)
	}
	return p
}

// parseMarkers takes the `+name` and `+name=value` lines of comments; repeated names are joined by commas.
func parseMarkers(groups ...*ast.CommentGroup) map[string]string {
	out := map[string]string{}
	for _, g := range groups {
		if g == nil {
			continue
		}
		for _, c := range g.List {
			for _, line := range strings.Split(c.Text, "\n") {
				line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "//"))
				if !strings.HasPrefix(line, "+") {
					continue
				}
				name, value, _ := strings.Cut(line[1:], "=")
				name = strings.TrimSpace(name)
				if old, ok := out[name]; ok && old != "" {
					if old != value {
						value = old + "," + value
					}
				}
				out[name] = strings.TrimSpace(value)
			}
		}
	}
	return out
}

func (p *pkgMarkers) readTypes(f *ast.File, fset *token.FileSet) {
	// Markers of a type may stand in a comment separated from it by an empty line.
	byEnd := map[int]*ast.CommentGroup{}
	for _, g := range f.Comments {
		byEnd[fset.Position(g.End()).Line] = g
	}
	for _, d := range f.Decls {
		gd, ok := d.(*ast.GenDecl)
		if !ok || gd.Tok != token.TYPE {
			continue
		}
		for _, s := range gd.Specs {
			ts := s.(*ast.TypeSpec)
			doc := ts.Doc
			if doc == nil {
				doc = gd.Doc
			}
			line := fset.Position(gd.Pos()).Line
			if doc != nil {
				line = fset.Position(doc.Pos()).Line
			}
			p.types[ts.Name.Name] = parseMarkers(doc, byEnd[line-2])
			st, ok := ts.Type.(*ast.StructType)
			if !ok {
				continue
			}
			fields := map[string]map[string]string{}
			for _, fl := range st.Fields.List {
				for _, n := range fl.Names {
					fields[n.Name] = parseMarkers(fl.Doc)
				}
			}
			p.fields[ts.Name.Name] = fields
		}
	}
}

func (p *pkgMarkers) readEnums(f *ast.File) {
	for _, d := range f.Decls {
		gd, ok := d.(*ast.GenDecl)
		if !ok || gd.Tok != token.CONST {
			continue
		}
		for _, s := range gd.Specs {
			vs := s.(*ast.ValueSpec)
			id, ok := vs.Type.(*ast.Ident)
			if !ok {
				continue
			}
			if _, ok := p.types[id.Name]["enum"]; !ok {
				continue
			}
			for _, v := range vs.Values {
				if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if u, err := strconv.Unquote(lit.Value); err == nil {
						p.enums[id.Name] = append(p.enums[id.Name], u)
					}
				}
			}
		}
	}
}

func (m *markers) ofType(t reflect.Type) map[string]string {
	return m.pkg(t.PkgPath()).types[t.Name()]
}

func (m *markers) ofField(t reflect.Type, field string) map[string]string {
	return m.pkg(t.PkgPath()).fields[t.Name()][field]
}

// enum lists the values of a string enumeration, sorted and joined by commas.
func (m *markers) enum(t reflect.Type) string {
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.String || t.PkgPath() == "" {
		return ""
	}
	set := map[string]bool{}
	for _, v := range m.pkg(t.PkgPath()).enums[t.Name()] {
		set[v] = true
	}
	return strings.Join(sortedKeys(set), ",")
}
