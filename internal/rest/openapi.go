package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// object is a JSON object.
type object = map[string]any

var pathParam = regexp.MustCompile(`\{([a-z_]+)\}`)

// describe returns the OpenAPI 3.1 description of routes.
func describe(routes []route, version string) ([]byte, error) {
	schemas, paths := object{}, object{}
	problem, err := schemaRef(schemas, reflect.TypeFor[Problem]())
	if err != nil {
		return nil, err
	}
	for _, rt := range routes {
		op, err := describeRoute(schemas, rt)
		if err != nil {
			return nil, fmt.Errorf("describe %s: %w", rt.id, err)
		}
		op["responses"].(object)["default"] = object{
			"description": "an error", "content": object{"application/problem+json": object{"schema": problem}},
		}
		item, ok := paths[Root+rt.path].(object)
		if !ok {
			item = object{}
			paths[Root+rt.path] = item
		}
		item[strings.ToLower(rt.method)] = op
	}
	paths[Root+"/events/stream"] = object{"get": streamOperation()}
	return json.MarshalIndent(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "mneme", "version": version,
			"description": "Search, change, link and undo memories. Every change is made by a durable workflow, and can be undone.",
		},
		"security":   []object{{"bearer": []string{}}},
		"paths":      paths,
		"components": object{"schemas": schemas, "securitySchemes": object{"bearer": object{"type": "http", "scheme": "bearer"}}},
	}, "", " ")
}

func describeRoute(schemas object, rt route) (object, error) {
	params := []object{}
	for _, m := range pathParam.FindAllStringSubmatch(rt.path, -1) {
		params = append(params, object{"name": m[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for _, p := range rt.params {
		params = append(params, object{"name": p.Name, "in": "query", "description": p.About, "schema": object{"type": p.Type}})
	}
	if rt.keyed {
		params = append(params, object{
			"name": keyHeader, "in": "header", "schema": object{"type": "string", "maxLength": maxKey},
			"description": "makes the change once, however often it is sent with the same key",
		})
	}
	op := object{"operationId": rt.id, "summary": rt.about, "parameters": params}
	if rt.body != nil {
		ref, err := schemaRef(schemas, rt.body)
		if err != nil {
			return nil, err
		}
		op["requestBody"] = object{"required": true, "content": object{"application/json": object{"schema": ref}}}
	}
	ref, err := schemaRef(schemas, rt.out)
	if err != nil {
		return nil, err
	}
	responses := object{}
	for _, status := range rt.statuses {
		responses[strconv.Itoa(status)] = object{
			"description": http.StatusText(status), "content": object{"application/json": object{"schema": ref}},
		}
	}
	op["responses"] = responses
	return op, nil
}

// schemaRef adds the schema of a type, and returns a reference to it.
func schemaRef(schemas object, t reflect.Type) (object, error) {
	name := strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
	if schemas[name] == nil {
		schema, err := jsonschema.ForType(t, nil)
		if err != nil {
			return nil, err
		}
		schemas[name] = schema
	}
	return object{"$ref": "#/components/schemas/" + name}, nil
}

// streamOperation describes the events as they happen, which are no JSON answer.
func streamOperation() object {
	return object{
		"operationId": "streamEvents",
		"summary":     "what happens from now on, or after an event, as server-sent events named \"change\"; each has the id of its event",
		"parameters": []object{
			{"name": "after", "in": "query", "schema": object{"type": "integer"}, "description": "the id of the last event that was seen"},
			{"name": "Last-Event-ID", "in": "header", "schema": object{"type": "integer"}, "description": "the same, as browsers send it"},
		},
		"responses": object{
			"200":     object{"description": "events", "content": object{"text/event-stream": object{"schema": object{"type": "string"}}}},
			"default": object{"description": "an error, in words", "content": object{"text/plain": object{"schema": object{"type": "string"}}}},
		},
	}
}
