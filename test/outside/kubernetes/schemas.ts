/**
 * JSON schemas for kubeconform, made from published sources: the API of Kubernetes, and the resource definitions of the
 * Prometheus operator, of KEDA and of cert-manager. Every object with named fields is closed, so that a misspelled field is a mistake.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { goModule } from './go-module.ts';

/** The path pattern by which kubeconform looks for them. */
export const SCHEMA_NAME = '{{.ResourceKind}}{{.KindSuffix}}.json';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type Schema = { readonly [name: string]: Json };

interface Definition {
  readonly 'x-kubernetes-group-version-kind'?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
}

interface ResourceDefinition {
  readonly kind: string;
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

/** Writes them, and returns the pattern for kubeconform's -schema-location. */
export async function writeSchemas(directory: string): Promise<string> {
  mkdirSync(directory, { recursive: true });
  const write = (group: string, version: string, kind: string, schema: Schema) =>
    writeFileSync(path.join(directory, fileName(group, version, kind)), JSON.stringify(schema));
  const kubernetes = await goModule('k8s.io/kubernetes', 'v1.36.3');
  writeKubernetes(path.join(kubernetes, 'api/openapi-spec/swagger.json'), write);
  const operator = await goModule('github.com/prometheus-operator/prometheus-operator', 'v0.85.0');
  writeResourceDefinitions(path.join(operator, 'example/prometheus-operator-crd'), write);
  const keda = await goModule('github.com/kedacore/keda/v2', 'v2.21.0');
  writeResourceDefinitions(path.join(keda, 'config/crd/bases'), write);
  const certManager = await goModule('github.com/cert-manager/cert-manager', 'v1.21.2');
  writeResourceDefinitions(path.join(certManager, 'deploy/crds'), write);
  return path.join(directory, SCHEMA_NAME);
}

type Write = (group: string, version: string, kind: string, schema: Schema) => void;

function fileName(group: string, version: string, kind: string): string {
  const [first = ''] = group.split('.');
  return `${[kind, first, version].filter((part) => part !== '').join('-')}.json`.toLowerCase();
}

function writeKubernetes(file: string, write: Write): void {
  const { definitions } = JSON.parse(readFileSync(file, 'utf8')) as {
    definitions: Record<string, Schema & Definition>;
  };
  const closedDefinitions = new Map(Object.entries(definitions).map(([name, schema]) => [name, closed(schema)]));
  // Numbers are often written for texts, and the API accepts both.
  const either: Schema = { type: ['string', 'number'] };
  for (const name of ['util.intstr.IntOrString', 'api.resource.Quantity']) {
    closedDefinitions.set(`io.k8s.apimachinery.pkg.${name}`, either);
  }
  for (const [name, { 'x-kubernetes-group-version-kind': kinds = [] }] of Object.entries(definitions)) {
    const [only] = kinds;
    if (kinds.length !== 1 || only === undefined) continue;
    const used = reachedFrom(name, closedDefinitions);
    write(only.group, only.version, only.kind, {
      $ref: `#/definitions/${name}`,
      definitions: Object.fromEntries(used),
    });
  }
}

/** A definition and everything that it refers to. */
function reachedFrom(start: string, definitions: ReadonlyMap<string, Json>): ReadonlyMap<string, Json> {
  const reached = new Map<string, Json>();
  const waiting = [start];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const schema = definitions.get(name);
    if (schema === undefined || reached.has(name)) continue;
    reached.set(name, schema);
    for (const [, next = ''] of JSON.stringify(schema).matchAll(/"#\/definitions\/([^"]+)"/g)) waiting.push(next);
  }
  return reached;
}

function writeResourceDefinitions(folder: string, write: Write): void {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.yaml'))) {
    for (const document of parseAllDocuments(readFileSync(path.join(folder, file), 'utf8'))) {
      const { kind, spec } = document.toJS() as ResourceDefinition;
      if (kind !== 'CustomResourceDefinition') continue;
      for (const { name, schema } of spec.versions) {
        write(spec.group, name, spec.names.kind, closed(schema.openAPIV3Schema) as Schema);
      }
    }
  }
}

/** Allows only the named fields, if there are any. */
function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed);
  if (schema === null || typeof schema !== 'object') return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  const names = inner.properties;
  const isObject = names !== null && typeof names === 'object' && !Array.isArray(names) && inner.type !== undefined;
  const isOpen = 'additionalProperties' in inner || inner['x-kubernetes-preserve-unknown-fields'] === true;
  return isObject && !isOpen ? { ...inner, additionalProperties: false } : inner;
}
