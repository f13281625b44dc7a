package sandbox_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// description returns the official description of the API, nil where it is
// not at hand.
var description = sync.OnceValues(func() (*openapi3.T, error) {
	dir := os.Getenv("LICHESS_API_DIR")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "lichess-api")
	}
	file := filepath.Join(dir, "openapi.yaml")
	if _, err := os.Stat(file); err != nil {
		return nil, nil
	}
	return openapi3.NewLoader().LoadFromFile(file)
})

// described returns the description, nil where it is not at hand.
func described(t testing.TB) *openapi3.T {
	t.Helper()
	doc, err := description()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// operation is one call of the description.
type operation struct {
	doc  *openapi3.T
	name string // method and path template
	item *openapi3.PathItem
	op   *openapi3.Operation
	args map[string]string // of the path
}

// findOperation finds the call that a request makes: of several templates the
// one with the fewest variables, as in /api/challenge/ai.
func findOperation(doc *openapi3.T, method, path string) *operation {
	var best *operation
	segments := strings.Split(path, "/")
	for template, item := range doc.Paths.Map() {
		op := item.GetOperation(method)
		if op == nil {
			continue
		}
		if args, ok := matchPath(template, segments); ok && (best == nil || len(args) < len(best.args)) {
			best = &operation{doc, method + " " + template, item, op, args}
		}
	}
	return best
}

func matchPath(template string, segments []string) (map[string]string, bool) {
	parts, args := strings.Split(template, "/"), map[string]string{}
	if len(parts) != len(segments) {
		return nil, false
	}
	for i, part := range parts {
		switch name, isVar := strings.CutPrefix(part, "{"); {
		case isVar && strings.HasSuffix(name, "}"):
			args[strings.TrimSuffix(name, "}")] = segments[i]
		case part != segments[i]:
			return nil, false
		}
	}
	return args, true
}

// visit checks a value against a schema and then looks for members that the
// schema does not mention, which it would let pass.
func visit(schema *openapi3.Schema, v any) (faults []string) {
	err := schema.VisitJSON(v, openapi3.EnableJSONSchema2020(), openapi3.MultiErrors())
	var flatten func(err error)
	flatten = func(err error) {
		var several openapi3.MultiError
		var one *openapi3.SchemaError
		switch {
		case errors.As(err, &several):
			for _, err := range several {
				flatten(err)
			}
		case errors.As(err, &one):
			faults = append(faults, "$"+dotted(one.JSONPointer())+": "+one.Reason)
		default:
			faults = append(faults, "$: "+err.Error())
		}
	}
	if err != nil {
		flatten(err)
	}
	return append(faults, undescribed(schema, v, "$")...)
}

func dotted(pointer []string) string {
	var b strings.Builder
	for _, p := range pointer {
		b.WriteString("." + p)
	}
	return b.String()
}

// undescribed lists the members of a value that no part of the schema names.
func undescribed(schema *openapi3.Schema, v any, at string) (faults []string) {
	switch v := v.(type) {
	case []any:
		if schema.Items != nil {
			for i, inner := range v {
				faults = append(faults, undescribed(schema.Items.Value, inner, fmt.Sprintf("%s.%d", at, i))...)
			}
		}
	case map[string]any:
		members := map[string][]*openapi3.Schema{}
		rest := collectMembers(schema, members)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			inner := members[name]
			if inner == nil && rest != nil {
				inner = []*openapi3.Schema{rest}
			}
			if inner == nil {
				faults = append(faults, at+"."+name+" is not described")
				continue
			}
			fits := 0
			if len(inner) > 1 { // of alternatives the one that fits is meant
				fits = max(0, slices.IndexFunc(inner, func(s *openapi3.Schema) bool {
					return s.VisitJSON(v[name], openapi3.EnableJSONSchema2020()) == nil
				}))
			}
			faults = append(faults, undescribed(inner[fits], v[name], at+"."+name)...)
		}
	}
	return faults
}

// collectMembers gathers the members of an object that all parts of a schema
// name, and returns the schema of those without a name, or nil.
func collectMembers(schema *openapi3.Schema, into map[string][]*openapi3.Schema) (rest *openapi3.Schema) {
	for name, property := range schema.Properties {
		into[name] = append(into[name], property.Value)
	}
	if schema.AdditionalProperties.Schema != nil {
		rest = schema.AdditionalProperties.Schema.Value
	}
	for _, part := range parts(schema) {
		if r := collectMembers(part, into); r != nil {
			rest = r
		}
	}
	return rest
}

func parts(schema *openapi3.Schema) (all []*openapi3.Schema) {
	for _, refs := range []openapi3.SchemaRefs{schema.AllOf, schema.OneOf, schema.AnyOf} {
		for _, ref := range refs {
			all = append(all, ref.Value)
		}
	}
	return all
}

// visitText checks a text of a path, query or form: it may stand for a truth
// value, a number or itself.
func visitText(schema *openapi3.Schema, text string) error {
	if schema.Type.Is(openapi3.TypeArray) { // "comma separated list", say the words of all of them
		for item := range strings.SplitSeq(text, ",") {
			if err := visitText(schema.Items.Value, item); err != nil {
				return err
			}
		}
		return nil
	}
	values := []any{text}
	if text == "true" || text == "false" {
		values = append(values, text == "true")
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		values = append(values, n)
	}
	var err error
	for _, v := range values {
		if err = schema.VisitJSON(v, openapi3.EnableJSONSchema2020()); err == nil {
			return nil
		}
	}
	var one *openapi3.SchemaError
	if errors.As(err, &one) {
		return errors.New(one.Reason)
	}
	return err
}

// checkRequest lists what is wrong with a request.
func (o *operation) checkRequest(r *http.Request, body []byte) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	query, known := r.URL.Query(), map[string]bool{}
	negotiated := false
	for _, ref := range append(slices.Clone(o.op.Parameters), o.item.Parameters...) {
		p := ref.Value
		var values []string
		switch p.In {
		case openapi3.ParameterInPath:
			values = []string{o.args[p.Name]}
		case openapi3.ParameterInQuery:
			values, known[p.Name] = query[p.Name], true
		case openapi3.ParameterInHeader:
			values = r.Header.Values(p.Name)
			negotiated = negotiated || p.Name == "Accept"
		}
		if p.Required && len(values) == 0 {
			fault("%s %s is missing", p.In, p.Name)
		}
		for _, value := range values {
			if err := visitText(p.Schema.Value, value); err != nil {
				fault("%s %s is %q: %v", p.In, p.Name, value, err)
			}
		}
	}
	for name := range query {
		if !known[name] {
			fault("query %s is not described", name)
		}
	}
	if accept := r.Header.Get("Accept"); !negotiated && accept != "" && accept != "*/*" && !o.answers(accept) {
		fault("header Accept is %q, and no answer is", accept)
	}
	security := o.doc.Security
	if o.op.Security != nil {
		security = *o.op.Security
	}
	if len(security) > 0 && !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ") {
		fault("header Authorization is missing")
	}
	return append(faults, o.checkBody(r.Header.Get("Content-Type"), body)...)
}

// answers reports whether a good answer can be of that type.
func (o *operation) answers(accept string) bool {
	for status, response := range o.op.Responses.Map() {
		if strings.HasPrefix(status, "2") && response.Value.Content[accept] != nil {
			return true
		}
	}
	return false
}

func (o *operation) checkBody(contentType string, body []byte) []string {
	if o.op.RequestBody == nil {
		if len(body) > 0 {
			return []string{"body is not described"}
		}
		return nil
	}
	kind, _, _ := mime.ParseMediaType(contentType)
	described := o.op.RequestBody.Value
	media := described.Content[kind]
	switch {
	case len(body) == 0 && !described.Required:
		return nil
	case media == nil:
		return []string{fmt.Sprintf("body of type %q is not described", contentType)}
	case kind != "application/x-www-form-urlencoded":
		return visit(media.Schema.Value, string(body))
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return []string{"body is no form: " + err.Error()}
	}
	return checkForm(media.Schema.Value, form)
}

// checkForm checks a form field by field. Alternatives are told apart by what
// they require: one that requires nothing fits everything, so that the rule
// "exactly one" cannot be applied to them as it stands.
func checkForm(schema *openapi3.Schema, form url.Values) (faults []string) {
	members := map[string][]*openapi3.Schema{}
	collectMembers(schema, members)
	for name, values := range form {
		switch {
		case members[name] == nil:
			faults = append(faults, "form "+name+" is not described")
		case len(values) != 1:
			faults = append(faults, "form "+name+" is given more than once")
		default:
			if err := visitText(members[name][0], values[0]); err != nil {
				faults = append(faults, fmt.Sprintf("form %s is %q: %v", name, values[0], err))
			}
		}
	}
	var requirements func(s *openapi3.Schema)
	requirements = func(s *openapi3.Schema) {
		for _, name := range s.Required {
			if !form.Has(name) {
				faults = append(faults, "form "+name+" is missing")
			}
		}
		for _, part := range s.AllOf {
			requirements(part.Value)
		}
		chosen := 0
		for _, alternative := range s.OneOf {
			started := slices.ContainsFunc(alternative.Value.Required, form.Has)
			if started {
				chosen++
				requirements(alternative.Value)
			}
		}
		if chosen > 1 {
			faults = append(faults, "form mixes what excludes each other")
		}
	}
	requirements(schema)
	return faults
}

// media finds the media type that describes a reply. Where the description has
// none it falls back to the nearest one, so that the body is checked all the same.
func (o *operation) media(status int, kind string) (schema *openapi3.Schema, faults []string) {
	response := o.op.Responses.Status(status)
	if response == nil {
		faults = append(faults, fmt.Sprintf("status %d is not described", status))
		if status >= 400 {
			return o.doc.Components.Schemas["Error"].Value, faults
		}
		response = o.op.Responses.Status(http.StatusOK)
	}
	media := response.Value.Content[kind]
	if media == nil {
		faults = append(faults, fmt.Sprintf("a reply of type %q is not described", kind))
		for _, other := range response.Value.Content {
			media = other
		}
	}
	return media.Schema.Value, faults
}

// checkReply lists what is wrong with a reply that came in one piece.
func (o *operation) checkReply(status int, contentType string, body []byte) []string {
	kind, _, _ := mime.ParseMediaType(contentType)
	schema, faults := o.media(status, kind)
	if kind != "application/json" {
		return append(faults, visit(schema, string(body))...)
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return append(faults, "$: "+err.Error())
	}
	return append(faults, visit(schema, v)...)
}

// checkLine lists what is wrong with a line of a stream. Lines with a type are
// held against the schema of that type and no other.
func (o *operation) checkLine(line []byte) []string {
	const kind = "application/x-ndjson"
	schema, faults := o.media(http.StatusOK, kind)
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return faults
	}
	var v any
	if err := json.Unmarshal(line, &v); err != nil {
		return append(faults, "$: "+err.Error())
	}
	object, _ := v.(map[string]any)
	if done, ok := object["done"].(string); ok && len(object) == 1 && o.name == "POST /api/challenge/{username}" {
		// The last line of a keepAliveStream is described in words only.
		if !slices.Contains([]string{"accepted", "declined", "canceled"}, done) {
			faults = append(faults, "done is "+done)
		}
		return faults
	}
	if object != nil && len(schema.OneOf) > 0 {
		schema = lineSchema(schema, object["type"])
		if schema == nil {
			return append(faults, fmt.Sprintf("a line of type %v is not described", object["type"]))
		}
	}
	return append(faults, visit(schema, v)...)
}

// lineSchema returns the alternative for lines of a type, nil when there is none.
func lineSchema(schema *openapi3.Schema, typ any) *openapi3.Schema {
	for _, alternative := range schema.OneOf {
		if property := alternative.Value.Properties["type"]; property != nil && property.Value.Const == typ {
			return alternative.Value
		}
	}
	return nil
}
