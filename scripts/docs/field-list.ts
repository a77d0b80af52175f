import * as z from 'zod/mini';
import {
  failureReasonSchema,
  liveReasonSchema,
  pastReasonSchema,
  refreshReasonSchema,
  statusReasonSchema,
} from '#lib/api/layer-reason.ts';
import { auditEventSchema } from '#lib/api/people/audit-event.ts';
import { cornersSchema } from '#lib/geo/corners.ts';
import { instantText } from '#lib/time/instant-schema.ts';
import { ruleSchema } from '#lib/zones/rule.ts';
import { hoursSchema, shapeSchema, sourceSchema, verticalSchema } from '#lib/zones/zone.ts';

interface Json {
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly anyOf?: readonly Json[];
  readonly oneOf?: readonly Json[];
  readonly items?: Json;
  readonly properties?: Readonly<Record<string, Json>>;
  readonly additionalProperties?: Json | boolean;
  readonly propertyNames?: Json;
  readonly required?: readonly string[];
}

/** Explained once in docs/api.md, by these words. */
const WORDS = new Map<z.core.$ZodType, string>([
  [instantText, 'time'],
  [cornersSchema, 'box'],
  [liveReasonSchema, 'reason'],
  [pastReasonSchema, 'reason'],
  [failureReasonSchema, 'reason'],
  [statusReasonSchema, 'reason'],
  [refreshReasonSchema, 'reason'],
  [auditEventSchema, 'event'],
]);

/** Parts of a zone, explained by `POST /api/zones`. */
const ZONE_WORDS = new Map<z.core.$ZodType, string>([
  [shapeSchema, 'shape'],
  [verticalSchema, 'limits or null'],
  [hoursSchema, 'hours or null'],
  [ruleSchema, 'rule'],
  [sourceSchema, 'source or null'],
]);
const SHORT_WORDS = new Map([...WORDS, ...ZONE_WORDS]);

/** @param isWhole parts of a zone in full */
export function fieldList(
  schema: z.core.$ZodType,
  io: 'input' | 'output',
  literals: readonly CommentedFields[],
  isWhole = false,
): string {
  const words = isWhole ? WORDS : SHORT_WORDS;
  const json = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const word = words.get(zodSchema) ?? (isPosition(jsonSchema as Json) ? 'position' : undefined);
      if (word) jsonSchema.title = word;
    },
  }) as Json;
  return linesOf(json, literals, '').join('\n');
}

function isPosition({ properties = {} }: Json): boolean {
  return 'public_track_id' in properties && 'observed_at' in properties;
}

function linesOf(json: Json, literals: readonly CommentedFields[], indent: string): readonly string[] {
  if (json.title) return [];
  const options = optionsOf(json);
  if (options.length > 1) {
    const objects = options
      .filter(({ properties }) => properties)
      .map((option) => (option.title ? [] : fieldLines(option, literals, indent)));
    const [first = [], ...others] = objects;
    const common = others.length > 0 ? first.filter((field) => others.every((other) => other.includes(field))) : [];
    const own = objects.map((fields) => fields.filter((field) => !common.includes(field)));
    return [
      ...common,
      ...own.flatMap((fields, index) => [
        `${indent}- ${index === 0 ? 'either' : 'or'}`,
        ...fields.map((field) => field.replaceAll(/^/gm, '  ')),
      ]),
    ];
  }
  const [only = json] = options;
  if (only !== json) return linesOf(only, literals, indent);
  if (json.items) return linesOf(json.items, literals, indent);
  if (typeof json.additionalProperties === 'object' && !json.properties)
    return linesOf(json.additionalProperties, literals, indent);
  return fieldLines(json, literals, indent);
}

/** Each field with those within it. */
function fieldLines(json: Json, literals: readonly CommentedFields[], indent: string): readonly string[] {
  const fields = Object.entries(json.properties ?? {});
  const names = fields.map(([name]) => name);
  return fields.map(([name, field]) => {
    const optional = json.required?.includes(name) ? '' : ', optional';
    const meaning = meaningOf(name, names, literals);
    return [
      `${indent}- \`${name}\` (${typeOf(field)}${optional})${meaning && `: ${meaning}`}`,
      ...linesOf(field, literals, `${indent}  `),
    ].join('\n');
  });
}

function optionsOf({ anyOf, oneOf }: Json): readonly Json[] {
  return (anyOf ?? oneOf ?? []).filter(({ type }) => type !== 'null');
}

function typeOf(json: Json): string {
  if (json.title) return json.title;
  if (json.const !== undefined) return `\`${json.const}\``;
  if (json.enum) return `\`${json.enum.join('|')}\``;
  if (json.items) return `list of ${pluralOf(typeOf(json.items))}`;
  const options = optionsOf(json);
  if (options.length > 0) {
    const types = new Set(options.map(typeOf));
    const isNullable = options.length < (json.anyOf ?? json.oneOf ?? []).length;
    return [...types, ...(isNullable ? ['null'] : [])].join(' or ');
  }
  if (typeof json.additionalProperties === 'object' && !json.properties)
    return json.propertyNames?.enum ? `object by \`${json.propertyNames.enum.join('|')}\`` : 'object by name';
  return [json.type ?? 'any'].flat().join(' or ');
}

function pluralOf(type: string): string {
  if (!/^\w+$/.test(type)) return type;
  return type === 'box' ? 'boxes' : `${type}s`;
}

/** From the largest literal with this field: smaller ones belong to other schemas, or have a part of this one. */
function meaningOf(name: string, names: readonly string[], literals: readonly CommentedFields[]): string {
  const [own] = literals
    .filter((literal) => literal.has(name) && [...literal.keys()].every((field) => names.includes(field)))
    .filter(({ size }) => size === names.length || (size > 1 && 2 * size >= names.length))
    .sort((a, b) => b.size - a.size);
  return own?.get(name)?.replace(/\.$/, '') ?? '';
}

/** Doc comments by field, '' without one. */
export type CommentedFields = ReadonlyMap<string, string>;

interface OpenLiteral {
  readonly indent: number;
  readonly fields: Map<string, string>;
}

/** Relies on Biome's format. Descriptions in the schemas would be sent to every browser. */
export function commentedFields(source: string): readonly CommentedFields[] {
  const found: CommentedFields[] = [];
  const open: OpenLiteral[] = [];
  let comment = '';
  for (const line of onOneLine(source).split('\n')) {
    const indent = line.search(/\S/);
    const literal = open.at(-1);
    const [, text] = /^\s*\/\*\*(.*)\*\/$/.exec(line) ?? [];
    const [, name] = /^\s+'?([A-Za-z_][\w-]*)'?(?:: |,$)/.exec(line) ?? [];
    if (text !== undefined) {
      comment = text.trim();
      continue;
    }
    if (literal && name !== undefined && indent === literal.indent + 2) literal.fields.set(name, comment);
    if (literal && line.trimStart().startsWith('}') && indent === literal.indent) {
      open.pop();
      if (literal.fields.size > 0) found.push(literal.fields);
    }
    if (line.endsWith('{')) open.push({ indent, fields: new Map() });
    comment = '';
  }
  return found;
}

function onOneLine(source: string): string {
  return source.replace(/\/\*\*[\s\S]*?\*\//g, (comment) => comment.replace(/\s*\n\s*(\* (?=[^/])|(?=\*\/))/g, ' '));
}
