import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type JsonSchema, schemasWithin } from '../scripts/docs/schema-parts.ts';

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}
interface Media {
  readonly schema?: JsonSchema;
  readonly 'x-line'?: JsonSchema;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/** An answer to a request below /api. */
export interface ApiAnswer {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

type Loaded = ReturnType<typeof load>;
let loaded: Loaded | undefined;

/** @returns how an answer differs from docs/openapi.json, such as by a field that it does not name */
export function undocumented({ method, path, status, type, text }: ApiAnswer): string | undefined {
  loaded ??= load();
  const found = loaded.templates.find(({ pattern }) => pattern.test(path));
  const place = found && `/paths/${escaped(found.template)}/${method.toLowerCase()}`;
  const operation = found && loaded.document.paths[found.template]?.[method.toLowerCase()];
  if (!operation || status >= 400)
    return type.includes('json') && text !== ''
      ? problemOf(loaded, '/components/schemas/ErrorAnswer', text)
      : undefined;
  const response = operation.responses[status];
  if (!response) return `status ${status} is not documented`;
  if (text === '')
    return response.content && method !== 'HEAD' ? 'a content is documented, and none was sent' : undefined;
  const media = type.split(';', 1)[0] ?? '';
  // The forms of Lookout's own pages.
  if (media.startsWith('application/vnd.lookout.')) return undefined;
  const key = Object.keys(response.content ?? {}).find((each) => each === type || each.split(';', 1)[0] === media);
  if (key === undefined) return `${media} is not documented`;
  const at = `${place}/responses/${status}/content/${escaped(key)}`;
  const { schema, 'x-line': line } = response.content?.[key] ?? {};
  if (line) {
    const lines = text.split('\n').filter((each) => each !== '');
    return lines.map((each) => problemOf(loaded as Loaded, `${at}/x-line`, each)).find((problem) => problem);
  }
  return schema && media.includes('json') ? problemOf(loaded, `${at}/schema`, text) : undefined;
}

function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function load() {
  const document: Document = JSON.parse(readFileSync(join(import.meta.dirname, '../docs/openapi.json'), 'utf8'));
  for (const schema of Object.values(document.components.schemas))
    for (const part of schemasWithin(schema)) if (part.properties) part.additionalProperties ??= false;
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'lookout');
  const templates = Object.keys(document.paths)
    .map((template) => ({
      template,
      pattern: new RegExp(
        `^${template
          .replaceAll('.', '\\.')
          .replace('{file}', '.+')
          .replaceAll(/\{\w+\}/g, '[^/]+')}$`,
      ),
    }))
    // Fixed parts come before `{id}`.
    .sort((one, other) => one.template.split('{').length - other.template.split('{').length);
  return { document, ajv, templates };
}

function problemOf({ ajv }: Loaded, place: string, text: string): string | undefined {
  const validate = ajv.getSchema(`lookout#${place}`);
  if (!validate) throw new Error(`docs/openapi.json has nothing at ${place}`);
  return validate(JSON.parse(text)) ? undefined : ajv.errorsText(validate.errors);
}
