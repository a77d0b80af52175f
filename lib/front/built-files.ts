import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';

const PREFIX = '/_next/static/';
const COMPRESSED = '.gz';
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
    .filter((name) => name.endsWith(COMPRESSED))
    .map((name) => name.slice(0, -COMPRESSED.length))
    .filter((name) => COMPRESSED_ENDINGS.includes(extname(name)));
  const pathOf = new Map(names.map((name) => [PREFIX + name.replaceAll(sep, '/'), name]));
  const bodies = new Map<string, Buffer>();

  return ({ method, url = '', headers }, response) => {
    const name = pathOf.get(url);
    if (name === undefined || (method !== 'GET' && method !== 'HEAD')) return false;
    if (headers.range !== undefined || !takesGzip(headers['accept-encoding'])) return false;
    const body = bodies.get(name) ?? readIfThere(join(folder, name + COMPRESSED));
    if (body === undefined) return false;
    bodies.set(name, body);
    response.writeHead(200, {
      'content-type': TYPES[extname(name)],
      'content-encoding': 'gzip',
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

function takesGzip(accepted = ''): boolean {
  return accepted.split(',').some((each) => {
    const [coding = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    return coding === 'gzip' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
