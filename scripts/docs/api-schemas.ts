// Names of the API's schemas, and the doc comments of their fields, for the documents.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod/mini';
import { documentText, root } from './document.ts';

export interface ApiSchemas {
  readonly named: ReadonlyMap<string, z.core.$ZodType>;
  /** @throws Error if there is none of this name */
  one(name: string): z.core.$ZodType;
  /** Of equal fields, those in the schema's own file come first. */
  commentsFor(schema: z.core.$ZodType | undefined): readonly CommentedFields[];
}

/** Parts of the API's schemas that other folders have. */
const OF_OTHERS = [
  ...['lib/zones/zone.ts', 'lib/zones/rule.ts', 'lib/zones/alarm.ts', 'lib/contract/wire-position.ts'],
  ...['scripts/docs/output-answers.ts', 'scripts/docs/route-answers.ts'],
];

export async function apiSchemas(): Promise<ApiSchemas> {
  const files = [...sourceFiles('lib/api'), ...OF_OTHERS];
  const literals = files.map((file) => commentedFields(documentText(file)));
  const modules = await Promise.all(files.map((file) => import(join(root, file)) as Promise<Record<string, unknown>>));
  const exported = modules.flatMap((module) => Object.entries(module));
  const named = new Map(exported.filter((entry): entry is [string, z.core.$ZodType] => isSchema(entry[1])));
  return {
    named,
    one(name) {
      const schema = named.get(name);
      if (!schema) throw new Error(`lib/api exports no ${name}`);
      return schema;
    },
    commentsFor(schema) {
      const own = schema && literals[modules.findIndex((module) => Object.values(module).includes(schema))];
      return [own ?? [], ...literals].flat();
    },
  };
}

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '_zod' in value;
}

function sourceFiles(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.(test|prop\.test|fixture)\.ts$/.test(name))
    .sort()
    .map((name) => `${folder}/${name}`);
}

/** From the largest literal with this field: smaller ones belong to other schemas, or have a part of this one. */
export function meaningOf(name: string, names: readonly string[], literals: readonly CommentedFields[]): string {
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
