// Names of the API's schemas, and the doc comments of their fields, for the documents.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod/mini';
import { API_ERRORS } from '#lib/api/error-code.ts';
import { documentText, root } from './document.ts';

export interface ApiSchemas {
  readonly named: ReadonlyMap<string, z.core.$ZodType>;
  /** @throws Error if there is none of this name */
  one(name: string): z.core.$ZodType;
  commentsFor(schema: z.core.$ZodType | undefined): Comments;
}

/** Parts of the API's schemas that other folders have. */
const OF_OTHERS = ['lib/zones/zone.ts', 'lib/zones/rule.ts', 'lib/zones/alarm.ts', 'lib/contract/wire-position.ts'];

export async function apiSchemas(): Promise<ApiSchemas> {
  const files = [...sourceFiles('lib/api'), ...OF_OTHERS];
  const literals = files.map((file) => commentedFields(documentText(file)));
  const modules = await Promise.all(files.map((file) => import(join(root, file)) as Promise<Record<string, unknown>>));
  const exported = modules.flatMap((module) => Object.entries(module));
  const named = new Map(exported.flatMap(([name, value]) => (isSchema(value) ? [[name, value] as const] : [])));
  return {
    named,
    one(name) {
      const schema = named.get(name);
      if (!schema) throw new Error(`lib/api exports no ${name}`);
      return schema;
    },
    commentsFor(schema) {
      const own = schema && literals[modules.findIndex((module) => Object.values(module).includes(schema))];
      return { own: own ?? [], all: literals.flat() };
    },
  };
}

export function isSchema(value: unknown): value is z.core.$ZodType {
  return typeof value === 'object' && value !== null && '_zod' in value;
}

function sourceFiles(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.(test|prop\.test|fixture)\.ts$/.test(name))
    .sort()
    .map((name) => `${folder}/${name}`);
}

/**
 * From the largest literal with this field: smaller ones belong to other schemas, or have a part of this one. Literals of
 * other files count where they agree.
 */
export function meaningOf(name: string, names: readonly string[], { own, all }: Comments): string {
  const largest = (literals: readonly CommentedFields[]) => {
    const fitting = literals
      .filter((literal) => literal.has(name) && [...literal.keys()].every((field) => names.includes(field)))
      .filter(({ size }) => size === names.length || (size > 1 && 2 * size >= names.length));
    const size = Math.max(...fitting.map((literal) => literal.size));
    return fitting.filter((literal) => literal.size === size).map((literal) => literal.get(name) ?? '');
  };
  const [first] = largest(own);
  const [other, ...more] = new Set(largest(all));
  return (first ?? (more.length === 0 ? other : undefined) ?? '').replace(/\.$/, '');
}

/** Statuses and codes, as Markdown. */
export function errorList(): string {
  const comments = commentedFields(documentText('lib/api/error-code.ts')).find((literal) => literal.has('bad_request'));
  const codes = Object.entries(API_ERRORS);
  return codes.map(([code, status]) => `- ${status} \`${code}\`: ${comments?.get(code)}`).join('\n');
}

/** Doc comments by field, '' without one. */
export type CommentedFields = ReadonlyMap<string, string>;

/** Of the file of a schema, and of all files. */
export interface Comments {
  readonly own: readonly CommentedFields[];
  readonly all: readonly CommentedFields[];
}

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
