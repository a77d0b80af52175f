import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { API_ERRORS } from '#lib/api/error-code.ts';
import { LIVE_REASONS, PAST_REASONS, WAITS } from '#lib/api/layer-reason.ts';
import { PERMISSIONS } from '#lib/api/people/permission.ts';
import { settingsSchema } from '#lib/server/settings/config.ts';
import { CONSTANT_WORK, WORK } from '#lib/server/work/work-table.ts';
import { apiRoutes } from './api-routes.ts';
import { documentText, root } from './document.ts';
import { commentedFields, fieldList } from './field-list.ts';

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
  const lines = Object.entries(PERMISSIONS).map(([permission, role]) => {
    const own = all.filter((route) => route.permission === permission);
    return `- ${role}, \`${permission}\`: ${own.map(({ method, path }) => `\`${method} ${path}\``).join(', ')}`;
  });
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
    Array.from({ length: Math.ceil(routes.length / ROUTES_A_LINE) }, (_, line) => {
      const its = routes.slice(line * ROUTES_A_LINE, (line + 1) * ROUTES_A_LINE);
      return `| ${why} | ${its.map((route) => `\`${route}\``).join(', ')} |`;
    }),
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
