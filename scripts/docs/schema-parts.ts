// The JSON Schemas of the OpenAPI document, made by zod of its own schemas: each named schema once.
import * as z from 'zod/mini';
import { API_ERRORS, errorAnswerSchema } from '#lib/api/error-code.ts';
import { cornersSchema } from '#lib/geo/corners.ts';
import { instantText } from '#lib/time/instant-schema.ts';
import { type ApiSchemas, type Comments, meaningOf } from './api-schemas.ts';

export interface JsonSchema {
  $ref?: string;
  title?: string;
  type?: string | readonly string[] | undefined;
  format?: string;
  pattern?: string;
  enum?: readonly string[];
  const?: string;
  description?: string;
  items?: JsonSchema | false;
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  propertyNames?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  [keyword: string]: unknown;
}

/** `input`: as a request sends it. `output`: as an answer has it. */
type Io = 'input' | 'output';

export type SchemaParts = ReturnType<typeof schemaParts>;

/** Collects the schemas that a document refers to. */
export function schemaParts(api: ApiSchemas) {
  const registry = z.registry<{ id: string }>();
  const byId = new Map<string, z.core.$ZodType>();
  for (const [name, schema] of [['Time', instantText], ['Box', cornersSchema], ...api.named] as const) {
    const id = capital(name.replace(/Schema$/, ''));
    if (name.endsWith('QuerySchema') || registry.has(schema)) continue;
    registry.add(schema, { id });
    byId.set(id, schema);
  }
  const roots = { input: new Set<z.core.$ZodType>(), output: new Set<z.core.$ZodType>() };

  function formsIn(io: Io): Readonly<Record<string, JsonSchema>> {
    const { $defs } = z.toJSONSchema(z.union([...roots[io]]), { ...optionsIn(io), metadata: registry });
    const forms = JSON.parse(JSON.stringify($defs).replaceAll('#/$defs/', `#/${io}/`));
    for (const [id, json] of Object.entries<JsonSchema>(forms)) describe(json, api.commentsFor(byId.get(id)));
    return forms;
  }

  return {
    /** @throws Error for a schema without a name in lib/api */
    reference(schema: z.core.$ZodType, io: Io): JsonSchema {
      const { id } = registry.get(schema) ?? {};
      if (id === undefined) throw new Error('a schema of a body or an answer is not exported');
      roots[io].add(schema);
      return { $ref: `#/${io}/${id}` };
    },
    /** The text of a document, with all schemas that it refers to. One that has two forms has two names. */
    complete<Document extends { readonly components: object }>(document: Document): string {
      const forms = { input: formsIn('input'), output: formsIn('output') };
      const twice = [...byId]
        .filter(([id, schema]) => id in forms.input && id in forms.output && hasTwoForms(schema))
        .map(([id]) => id);
      const nameOf = (io: string, id: string) => (io === 'input' && twice.includes(id) ? `${id}Input` : id);
      const named = (['input', 'output'] as const).flatMap((io) =>
        Object.entries(forms[io]).map(([id, json]) => [nameOf(io, id), json] as const),
      );
      const schemas = Object.fromEntries(named.sort(([one], [other]) => (one < other ? -1 : 1)));
      const whole = { ...document, components: { schemas, ...document.components } };
      return JSON.stringify(whole, null, 1).replaceAll(
        /"#\/(input|output)\/(\w+)"/g,
        (_, io, id) => `"#/components/schemas/${nameOf(io, id)}"`,
      );
    },
  };
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function hasTwoForms(schema: z.core.$ZodType): boolean {
  const [input, output] = (['input', 'output'] as const).map((io) =>
    JSON.stringify(z.toJSONSchema(schema, optionsIn(io))),
  );
  return input !== output;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

/** Parameters that a schema leaves open: those of one of these schemas, and more. */
export interface OtherParameters {
  readonly either: readonly z.core.$ZodType[];
  readonly more: readonly Parameter[];
}

/** A parameter of only some alternatives is optional. */
export function parametersOf(
  api: ApiSchemas,
  schema: z.core.$ZodType,
  { either, more }: OtherParameters = { either: [], more: [] },
): readonly Parameter[] {
  const alternatives = either.map((each) => fieldsOf(api, each));
  const isRequired = (parameter: Parameter) =>
    alternatives.every((fields) => fields.some(({ name, required }) => name === parameter.name && required));
  const shared = new Map(
    alternatives.flat().map((parameter) => [parameter.name, { ...parameter, required: isRequired(parameter) }]),
  );
  return [...fieldsOf(api, schema), ...shared.values(), ...more];
}

function fieldsOf(api: ApiSchemas, schema: z.core.$ZodType): readonly Parameter[] {
  const json = z.toJSONSchema(schema, optionsIn('input')) as JsonSchema;
  describe(json, api.commentsFor(schema));
  return Object.entries(json.properties ?? {}).map(([name, { description, ...field }]) => ({
    name,
    in: 'query',
    required: json.required?.includes(name) ?? false,
    ...(description !== undefined && { description }),
    schema: field,
  }));
}

function optionsIn(io: Io) {
  const options = {
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }: { readonly zodSchema: z.core.$ZodTypes; readonly jsonSchema: object }) {
      const json = jsonSchema as JsonSchema;
      const { def } = zodSchema._zod;
      delete json.id;
      // Of a transformed value, the form before it is all that is known: texts are trimmed, and stay texts.
      if (Object.keys(json).length === 0 && def.type === 'pipe') {
        const { $schema: _, ...form } = z.toJSONSchema(zodSchema, { ...options, io: 'input' });
        Object.assign(json, form);
      }
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
      // A record of known names is an object.
      const names = def.type === 'record' ? def.keyType._zod.values : undefined;
      const { additionalProperties: value } = json;
      if (names && typeof value === 'object') {
        json.properties = Object.fromEntries([...names].map((name) => [name, value]));
        delete json.propertyNames;
        delete json.additionalProperties;
      }
      if (zodSchema === errorAnswerSchema.shape.error.shape.code) json.enum = Object.keys(API_ERRORS);
      // Answers may have more fields in later versions.
      if (io === 'output' && json.additionalProperties === false) delete json.additionalProperties;
    },
  } as const;
  return { ...options, io };
}

/** Refinements leave no trace in JSON Schema. */
function takesTimesOnly(schema: z.core.$ZodType): boolean {
  return z.safeParse(schema, '2026-11-27T08:00:00Z').success && !z.safeParse(schema, 'none').success;
}

/** Adds the doc comments of fields. */
function describe(json: JsonSchema, comments: Comments): void {
  for (const { properties = {} } of schemasWithin(json)) {
    const names = Object.keys(properties);
    for (const [name, field] of Object.entries(properties)) {
      const meaning = meaningOf(name, names, comments);
      if (meaning !== '') field.description = meaning;
    }
  }
}

/** The schema and all schemas within it, the outer ones first. */
export function schemasWithin(json: JsonSchema): readonly JsonSchema[] {
  const inner = ['items', 'additionalProperties', 'propertyNames', 'anyOf', 'oneOf', 'allOf', 'prefixItems']
    .flatMap((keyword) => json[keyword] ?? [])
    .filter((part): part is JsonSchema => typeof part === 'object');
  return [json, ...[...inner, ...Object.values(json.properties ?? {})].flatMap(schemasWithin)];
}
