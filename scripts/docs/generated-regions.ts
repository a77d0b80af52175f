import * as z from 'zod/mini';
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
import { PERMISSIONS, type Permission } from '#lib/api/people/permission.ts';
import { cornersSchema } from '#lib/geo/corners.ts';
import { settingsSchema } from '#lib/server/settings/config.ts';
import { CONSTANT_WORK, WORK } from '#lib/server/work/work-table.ts';
import { instantText } from '#lib/time/instant-schema.ts';
import { ruleSchema } from '#lib/zones/rule.ts';
import { hoursSchema, shapeSchema, sourceSchema, verticalSchema } from '#lib/zones/zone.ts';
import { apiRoutes, permissionRow } from './api-routes.ts';
import { type ApiSchemas, apiSchemas, type Comments, commentedFields, errorList, meaningOf } from './api-schemas.ts';
import { documentText } from './document.ts';
import { ROUTE_ANSWERS, statusesOf } from './route-answers.ts';
import type { JsonSchema } from './schema-parts.ts';

/** Fills the regions `<!--NAME-->…<!--end-->` and `<!--NAME:ARGUMENT-->…<!--end-->`: of a route, or of a schema of lib/api. */
export async function withGeneratedRegions(document: string): Promise<string> {
  const regions = await makeRegions();
  return document.replace(/(<!--(\w+)(?::([\w /.-]+))?-->\n)[\s\S]*?(<!--end-->)/g, (_, start, name, argument, end) => {
    const region = regions[name];
    if (!region) throw new Error(`no region has the name ${name}`);
    return `${start}\n${region(argument)}\n\n${end}`;
  });
}

async function makeRegions(): Promise<Readonly<Record<string, (argument: string) => string>>> {
  const schemas = await apiSchemas();
  const fields =
    (what: 'query' | 'body' | 'answer', isWhole = false) =>
    (name: string) => {
      const schema = name.includes(' ') ? schemaOfRoute(name, what, schemas) : schemas.one(name);
      return fieldList(schema, what === 'answer' ? 'output' : 'input', schemas.commentsFor(schema), isWhole);
    };
  const zone = fields('body', true);
  return {
    fields: fields('answer'),
    body: fields('body'),
    zone,
    parameters,
    errors: errorList,
    reasons,
    waits,
    routes,
    settings,
    work: workTable,
  };

  function parameters(name: string): string {
    return fields('query')(name).replaceAll(/ \((?:string|`[^`]*`)(, optional)?\)/g, (_, optional = '') =>
      optional ? ' (optional)' : '',
    );
  }
}

/** @param route such as `GET /api/views` */
function schemaOfRoute(route: string, what: 'query' | 'body' | 'answer', schemas: ApiSchemas): z.core.$ZodType {
  const { reads } = apiRoutes().find(({ method, path }) => route === `${method} ${path}`) ?? {};
  const answers = statusesOf(ROUTE_ANSWERS[route] ?? { does: '' }).flatMap(([, contents]) =>
    Object.values(contents ?? {}),
  );
  const schema =
    what === 'answer'
      ? answers.find((answer) => answer !== null)
      : schemas.one((what === 'query' ? reads?.query : (reads?.body ?? reads?.lines)) ?? '');
  if (!schema) throw new Error(`${route} has no ${what} with a schema`);
  return schema;
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
  return (Object.keys(PERMISSIONS) as Permission[])
    .map((permission) => {
      const { role, token, wall } = permissionRow(permission);
      const callers = [role, token && 'token', wall && 'wall'].filter(Boolean).join(', ');
      const own = all.filter((route) => route.permission === permission).map(({ method, path }) => `${method} ${path}`);
      const inLines = routeLines(own).map((line) => `  - ${line}`);
      return [`- \`${permission}\` (${callers}):`, ...inLines].join('\n');
    })
    .join('\n');
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
function fieldList(schema: z.core.$ZodType, io: 'input' | 'output', comments: Comments, isWhole = false): string {
  const words = isWhole ? WORDS : SHORT_WORDS;
  const json = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const word = words.get(zodSchema) ?? (isPosition(jsonSchema as JsonSchema) ? 'position' : undefined);
      if (word) jsonSchema.title = word;
    },
  }) as JsonSchema;
  return linesOf(json, comments, '').join('\n');
}

function isPosition({ properties = {} }: JsonSchema): boolean {
  return 'public_track_id' in properties && 'observed_at' in properties;
}

function linesOf(json: JsonSchema, comments: Comments, indent: string): readonly string[] {
  if (json.title) return [];
  const options = optionsOf(json);
  if (options.length > 1) {
    const objects = options
      .filter(({ properties }) => properties)
      .map((option) => (option.title ? [] : fieldLines(option, comments, indent)));
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
  if (only !== json) return linesOf(only, comments, indent);
  if (json.items) return linesOf(json.items, comments, indent);
  if (typeof json.additionalProperties === 'object' && !json.properties)
    return linesOf(json.additionalProperties, comments, indent);
  return fieldLines(json, comments, indent);
}

/** Each field with those within it. */
function fieldLines(json: JsonSchema, comments: Comments, indent: string): readonly string[] {
  const fields = Object.entries(json.properties ?? {});
  const names = fields.map(([name]) => name);
  return fields.map(([name, field]) => {
    const optional = json.required?.includes(name) ? '' : ', optional';
    const meaning = meaningOf(name, names, comments);
    return [
      `${indent}- \`${name}\` (${typeOf(field)}${optional})${meaning && `: ${meaning}`}`,
      ...linesOf(field, comments, `${indent}  `),
    ].join('\n');
  });
}

function optionsOf({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] {
  return (anyOf ?? oneOf ?? []).filter(({ type }) => type !== 'null');
}

function typeOf(json: JsonSchema): string {
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
