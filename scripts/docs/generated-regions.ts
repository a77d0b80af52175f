import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { API_ERRORS } from '#lib/api/error-code.ts';
import {
  failureReasonSchema,
  LIVE_REASONS,
  liveReasonSchema,
  PAST_REASONS,
  pastReasonSchema,
  refreshReasonSchema,
  statusReasonSchema,
  WAITS,
} from '#lib/api/layer-reason.ts';
import { auditEventSchema } from '#lib/api/people/audit-event.ts';
import { PERMISSIONS } from '#lib/api/people/permission.ts';
import { cornersSchema } from '#lib/geo/corners.ts';
import { settingsSchema } from '#lib/server/settings/config.ts';
import { CONSTANT_WORK, WORK } from '#lib/server/work/work-table.ts';
import { instantText } from '#lib/time/instant-schema.ts';
import { ruleSchema } from '#lib/zones/rule.ts';
import { hoursSchema, shapeSchema, sourceSchema, verticalSchema } from '#lib/zones/zone.ts';
import { apiRoutes } from './api-routes.ts';
import { documentText, root } from './document.ts';

/** Fills the regions `<!--NAME-->…<!--end-->` and `<!--NAME:ARGUMENT-->…<!--end-->`. */
export async function withGeneratedRegions(document: string): Promise<string> {
  const regions = await makeRegions();
  return document.replace(/(<!--(\w+)(?::([\w-]+))?-->\n)[\s\S]*?(<!--end-->)/g, (_, start, name, argument, end) => {
    const region = regions[name];
    if (!region) throw new Error(`no region has the name ${name}`);
    return `${start}\n${region(argument)}\n\n${end}`;
  });
}

async function makeRegions(): Promise<Readonly<Record<string, (argument: string) => string>>> {
  const api = sourceFiles('lib/api');
  const literals = api.map((file) => commentedFields(documentText(file)));
  const modules = await Promise.all(api.map((file) => import(join(root, file)) as Promise<Record<string, unknown>>));
  const schemas = Object.assign({}, ...modules) as Record<string, z.core.$ZodType | undefined>;
  const fields = (io: 'input' | 'output', isWhole?: boolean) => (name: string) => {
    const schema = schemas[name];
    if (!schema) throw new Error(`lib/api exports no ${name}`);
    // Of equal fields, those in the schema's own file are its own.
    const own = literals[modules.findIndex((module) => name in module)] ?? [];
    return fieldList(schema, io, [own, ...literals].flat(), isWhole);
  };
  const zone = fields('input', true);
  return {
    fields: fields('output'),
    body: fields('input'),
    zone,
    parameters,
    errors,
    reasons,
    waits,
    routes,
    settings,
    work: workTable,
  };

  function parameters(name: string): string {
    return fields('input')(name).replaceAll(/ \((?:string|`[^`]*`)(, optional)?\)/g, (_, optional = '') =>
      optional ? ' (optional)' : '',
    );
  }
}

function sourceFiles(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.(test|prop\.test|fixture)\.ts$/.test(name))
    .sort()
    .map((name) => `${folder}/${name}`);
}

function errors(): string {
  const comments = commentedFields(documentText('lib/api/error-code.ts')).find((literal) => literal.has('bad_request'));
  const codes = Object.entries(API_ERRORS);
  return codes.map(([code, status]) => `- ${status} \`${code}\`: ${comments?.get(code)}`).join('\n');
}

const ENDS = {
  'at-until': 'at `until`',
  'retried-at-until': 'with a retry at `until`',
  'by-change': 'by a change',
  'next-refresh': 'at the next refresh',
  never: 'never',
} as const;

function reasons(): string {
  const live: Readonly<Record<string, { live: string; ends: keyof typeof ENDS }>> = LIVE_REASONS;
  const past: Readonly<Record<string, { past: string; ends: keyof typeof ENDS }>> = PAST_REASONS;
  const lines = [...new Set([...Object.keys(past), ...Object.keys(live)])].map((code) => {
    const texts = new Set([live[code]?.live, past[code]?.past].filter((text) => text !== undefined));
    return `- \`${code}\`: ${[...texts].join('; ')}. Ends ${ENDS[(live[code] ?? past[code])?.ends ?? 'never']}.`;
  });
  return lines.join('\n');
}

function waits(): string {
  const codes = Object.entries(WAITS);
  return codes.map(([code, text]) => `- \`${code}\`: ${text}`).join('\n');
}

function routes(): string {
  const all = apiRoutes();
  const lines = Object.entries<{ role: string | null; token?: true; wall?: true }>(PERMISSIONS).map(
    ([permission, { role, token, wall }]) => {
      const own = all.filter((route) => route.permission === permission).map(({ method, path }) => `${method} ${path}`);
      const callers = [role, token && 'token', wall && 'wall'].filter(Boolean).join(', ');
      const inLines = routeLines(own).map((line) => `  - ${line}`);
      return [`- \`${permission}\` (${callers}):`, ...inLines].join('\n');
    },
  );
  return lines.join('\n');
}

/** Set only by the start script. */
const INTERNAL = ['POSITIONS_EMBEDDED', 'POSITIONS_ALLOWANCE'];

const SETTINGS_FILES = ['access-settings', 'server-settings'];

/** @param first the first setting of a group */
function settings(first: string): string {
  const shape: Readonly<Record<string, z.core.$ZodType>> = settingsSchema.shape;
  const literals = SETTINGS_FILES.flatMap((file) => commentedFields(documentText(`lib/server/settings/${file}.ts`)));
  const comments = literals.find((literal) => literal.keys().next().value === first);
  return [...(comments ?? [])]
    .filter(([name]) => !INTERNAL.includes(name))
    .map(([name, meaning]) => {
      const { data } = z.safeParse(shape[name] as z.core.$ZodType, undefined);
      const value = typeof data === 'string' || typeof data === 'number' ? ` (\`${data}\`)` : '';
      return `- \`${name}\`${value}: ${meaning}`;
    })
    .join('\n');
}

const ROUTES_A_LINE = 8;

function routeLines(routes: readonly string[]): readonly string[] {
  return Array.from({ length: Math.ceil(routes.length / ROUTES_A_LINE) }, (_, line) =>
    routes
      .slice(line * ROUTES_A_LINE, (line + 1) * ROUTES_A_LINE)
      .map((route) => `\`${route}\``)
      .join(', '),
  );
}

/** The queues of what signed-in people start, and why other requests need none. */
function workTable(): string {
  const rows = Object.values<(typeof WORK)[keyof typeof WORK]>(WORK).map(
    ({ name, limit, running, waiting, inAll, routes, ...rest }) => {
      const all = [...routes, ...('selfQueued' in rest ? rest.selfQueued : [])]
        .map((route) => `\`${route}\``)
        .join(', ');
      return `| ${name} | ${limit} | ${running}; ${waiting} | ${Number.isFinite(inAll) ? inAll : 'no limit'} | ${all} |`;
    },
  );
  const constant = Object.entries(CONSTANT_WORK).flatMap(([why, routes]) =>
    routeLines(routes).map((line) => `| ${why} | ${line} |`),
  );
  return [
    '| work | one request | of an operator: run; wait | of all: run | requests |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    '| no queue, since | requests |',
    '|---|---|',
    ...constant,
  ].join('\n');
}

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
function fieldList(
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
type CommentedFields = ReadonlyMap<string, string>;

interface OpenLiteral {
  readonly indent: number;
  readonly fields: Map<string, string>;
}

/** Relies on Biome's format. Descriptions in the schemas would be sent to every browser. */
function commentedFields(source: string): readonly CommentedFields[] {
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
