import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';

const PREFIX = '/_next/static/';
/** The codings of a built file, the smallest first, with the endings of their files. */
const CODINGS = [
  { coding: 'br', ending: '.br' },
  { coding: 'gzip', ending: '.gz' },
] as const;
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
export const COMPRESSED_ENDINGS: readonly string[] = Object.keys(TYPES);

/** Returns `false` for a request that Next has to answer. */
export type AnswerFile = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Next would compress them for each viewer.
 * @param folder `.next/static` of the build
 */
export function builtFiles(folder: string): AnswerFile {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.gz'))
    .map((name) => name.slice(0, -'.gz'.length))
    .filter((name) => COMPRESSED_ENDINGS.includes(extname(name)));
  const pathOf = new Map(names.map((name) => [PREFIX + name.replaceAll(sep, '/'), name]));
  const bodies = new Map<string, Buffer>();

  return ({ method, url = '', headers }, response) => {
    const name = pathOf.get(url);
    if (name === undefined || (method !== 'GET' && method !== 'HEAD')) return false;
    const used = CODINGS.find(({ coding }) => takes(headers['accept-encoding'], coding));
    if (headers.range !== undefined || !used) return false;
    const file = name + used.ending;
    const body = bodies.get(file) ?? readIfThere(join(folder, file));
    if (body === undefined) return false;
    bodies.set(file, body);
    response.writeHead(200, {
      'content-type': TYPES[extname(name)],
      'content-encoding': used.coding,
      'content-length': body.byteLength,
      // Each build has other names.
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    response.end(body);
    return true;
  };
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function takes(accepted: string | undefined, wanted: string): boolean {
  return (accepted ?? '').split(',').some((each) => {
    const [coding = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    return coding === wanted && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
