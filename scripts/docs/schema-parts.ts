// The JSON Schemas of the OpenAPI document, made by zod of its own schemas: each named schema once.
import * as z from 'zod/mini';
import { API_ERRORS } from '#lib/api/error-code.ts';
import { cornersSchema } from '#lib/geo/corners.ts';
import { instantText } from '#lib/time/instant-schema.ts';
import { type ApiSchemas, type CommentedFields, meaningOf } from './api-schemas.ts';

export interface JsonSchema {
  $ref?: string;
  type?: unknown;
  format?: string;
  pattern?: string;
  enum?: readonly string[];
  description?: string;
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  propertyNames?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  [keyword: string]: unknown;
}

/** `input`: as a request sends it. `output`: as an answer has it. */
type Io = 'input' | 'output';

/** A schema of a request or answer, with its name if lib/api gives it none. */
interface Root {
  readonly schema: z.core.$ZodType;
  readonly io: Io;
  readonly name: string;
}

const PLACE = '#/components/schemas/';

export type SchemaParts = ReturnType<typeof schemaParts>;

/** A schema that is sent in another form than it is answered has two names. */
export function schemaParts(api: ApiSchemas, roots: readonly Root[]) {
  const registry = z.registry<{ id: string }>();
  const named = [['Time', instantText], ['Box', cornersSchema], ...api.named] as const;
  for (const [name, schema] of named)
    if (!name.endsWith('QuerySchema') && !registry.has(schema))
      registry.add(schema, { id: capital(name.replace(/Schema$/, '')) });
  for (const { schema, name } of roots) if (!registry.has(schema)) registry.add(schema, { id: capital(name) });
  const idOf = (schema: z.core.$ZodType) => registry.get(schema)?.id ?? '';

  const made = (io: Io): ReadonlyMap<string, JsonSchema> => {
    const { schemas } = z.toJSONSchema(registry, { ...OPTIONS, io, uri: (id) => PLACE + id });
    const all = new Map(Object.entries(schemas as Readonly<Record<string, JsonSchema>>));
    const own = new Map([...api.named.values()].map((schema) => [idOf(schema), schema]));
    const reached = new Set<string>();
    const reach = (id: string) => {
      if (reached.has(id)) return;
      reached.add(id);
      for (const { $ref } of partsOf(all.get(id) ?? {})) if ($ref) reach($ref.slice(PLACE.length));
    };
    for (const root of roots) if (root.io === io) reach(idOf(root.schema));
    return new Map(
      [...reached].map((id) => {
        const { $schema: _, $id: _1, ...json } = all.get(id) ?? {};
        return [id, described(json, api.commentsFor(own.get(id)), all)];
      }),
    );
  };
  const forms = { input: made('input'), output: made('output') };
  const twice = sentOtherwise(forms);
  const nameIn = (id: string, io: Io) => (io === 'input' && twice.has(id) ? `${id}Input` : id);
  const components: Record<string, JsonSchema> = {};
  for (const io of ['input', 'output'] as const)
    for (const [id, json] of forms[io]) {
      for (const part of partsOf(json)) if (part.$ref) part.$ref = PLACE + nameIn(part.$ref.slice(PLACE.length), io);
      components[nameIn(id, io)] = json;
    }
  const { code } = components.ErrorAnswer?.properties?.error?.properties ?? {};
  if (code) code.enum = Object.keys(API_ERRORS);
  return {
    components: Object.fromEntries(Object.entries(components).sort(([one], [other]) => (one < other ? -1 : 1))),
    reference: (schema: z.core.$ZodType, io: Io): JsonSchema => ({ $ref: PLACE + nameIn(idOf(schema), io) }),
  };
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** The ids of schemas with two forms, and of those that have such a part. */
function sentOtherwise({ input, output }: Readonly<Record<Io, ReadonlyMap<string, JsonSchema>>>): ReadonlySet<string> {
  const both = [...input].filter(([id]) => output.has(id));
  const different = new Set(
    both.filter(([id, json]) => JSON.stringify(json) !== JSON.stringify(output.get(id))).map(([id]) => id),
  );
  for (let before = -1; before !== different.size; ) {
    before = different.size;
    for (const [id, json] of both)
      if (partsOf(json).some(({ $ref }) => $ref && different.has($ref.slice(PLACE.length)))) different.add(id);
  }
  return different;
}

interface Parameter {
  readonly name: string;
  readonly in: 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

/** Parameters that a schema leaves open: those of one of these schemas, and texts by name. */
export interface OtherParameters {
  readonly either: readonly z.core.$ZodType[];
  readonly texts: Readonly<Record<string, string>>;
}

/** A parameter of only some alternatives is optional. */
export function parametersOf(api: ApiSchemas, schema: z.core.$ZodType, others?: OtherParameters): readonly Parameter[] {
  const own = fieldsOf(api, schema);
  const alternatives = others?.either.map((each) => fieldsOf(api, each)) ?? [];
  const shared = new Map(alternatives.flat().map((parameter) => [parameter.name, parameter]));
  const texts = Object.entries(others?.texts ?? {}).map(([name, description]) => ({
    name,
    in: 'query' as const,
    required: false,
    description,
    schema: { type: 'string' },
  }));
  return [
    ...own,
    ...[...shared.values()].map((parameter) => ({
      ...parameter,
      required: alternatives.every((fields) =>
        fields.some(({ name, required }) => name === parameter.name && required),
      ),
    })),
    ...texts,
  ];
}

function fieldsOf(api: ApiSchemas, schema: z.core.$ZodType): readonly Parameter[] {
  const json = described(z.toJSONSchema(schema, { ...OPTIONS, io: 'input' }) as JsonSchema, api.commentsFor(schema));
  return Object.entries(json.properties ?? {}).map(([name, { description, ...field }]) => ({
    name,
    in: 'query',
    required: json.required?.includes(name) ?? false,
    ...(description !== undefined && { description }),
    schema: field,
  }));
}

const OPTIONS = {
  unrepresentable: 'any',
  override({ zodSchema, jsonSchema }: { readonly zodSchema: z.core.$ZodType; readonly jsonSchema: object }) {
    const json = jsonSchema as JsonSchema;
    // Of a transformed value, the form before it is all that is known: texts are trimmed, and stay texts.
    if (Object.keys(json).length === 0 && zodSchema._zod.def.type === 'pipe')
      Object.assign(json, z.toJSONSchema(zodSchema, { ...OPTIONS, io: 'input' }), { $schema: undefined });
    if (json.format === 'uuid') delete json.pattern;
    // Names of zod's own.
    else if (json.pattern !== undefined) delete json.format;
    if (json.type === 'string' && Object.keys(json).length === 1 && takesTimesOnly(zodSchema))
      json.format = 'date-time';
    for (const bound of ['minimum', 'maximum'])
      if (Math.abs(Number(json[bound])) === Number.MAX_SAFE_INTEGER) delete json[bound];
    // Many generators of clients read `items` alone. `maxItems` ends the list.
    const [first] = (json.prefixItems ?? []) as readonly JsonSchema[];
    if (first && json.items === false) json.items = { type: first.type };
    // Answers may have more fields in later versions.
    const { def } = zodSchema._zod as { readonly def: { readonly catchall?: z.core.$ZodType } };
    if (json.additionalProperties === false && def.catchall === undefined) delete json.additionalProperties;
  },
} as const;

/** Refinements leave no trace in JSON Schema. */
function takesTimesOnly(schema: z.core.$ZodType): boolean {
  return z.safeParse(schema, '2026-11-27T08:00:00Z').success && !z.safeParse(schema, 'none').success;
}

/** Adds the doc comments of fields, and writes a record of known names as an object. */
function described(
  json: JsonSchema,
  comments: readonly CommentedFields[],
  all: ReadonlyMap<string, JsonSchema> = new Map(),
): JsonSchema {
  for (const part of partsOf(json)) {
    const { propertyNames, additionalProperties } = part;
    const known = (all.get(propertyNames?.$ref?.slice(PLACE.length) ?? '') ?? propertyNames)?.enum;
    if (known && typeof additionalProperties === 'object') {
      part.properties = Object.fromEntries(known.map((name) => [name, structuredClone(additionalProperties)]));
      delete part.propertyNames;
      delete part.additionalProperties;
    }
    const names = Object.keys(part.properties ?? {});
    for (const [name, field] of Object.entries(part.properties ?? {})) {
      const meaning = meaningOf(name, names, comments);
      if (meaning !== '') field.description = meaning;
    }
  }
  return json;
}

/** The schema and all schemas within it, the outer ones first. */
export function partsOf(json: JsonSchema): readonly JsonSchema[] {
  const inner = ['items', 'additionalProperties', 'propertyNames', 'anyOf', 'oneOf', 'allOf', 'prefixItems']
    .flatMap((keyword) => json[keyword] ?? [])
    .filter((part): part is JsonSchema => typeof part === 'object');
  return [json, ...[...inner, ...Object.values(json.properties ?? {})].flatMap(partsOf)];
}
