import { DOMParser, onErrorStopParsing } from '@xmldom/xmldom';
import type { ImportedZone, ZoneImport } from './import-report.ts';
import { type ImportOptions, importZones } from './import-zones.ts';

const IMPORTED_AT = '2026-11-27T09:00:00Z';

function parseXml(xml: string): Document {
  return new DOMParser({ onError: onErrorStopParsing }).parseFromString(xml, 'text/xml') as unknown as Document;
}

type Content = string | Uint8Array | object;
type Options = Partial<Pick<ImportOptions, 'answers' | 'withinBbox' | 'formats'>>;

export function imported(content: Content, options: Options = {}): ZoneImport {
  const bytes =
    content instanceof Uint8Array
      ? content
      : new TextEncoder().encode(typeof content === 'string' ? content : JSON.stringify(content));
  return importZones({ file: { bytes, parseXml }, name: 'zones.txt', importedAt: IMPORTED_AT, ...options });
}

export function drafts(content: Content, options: Options = {}): readonly ImportedZone[] {
  const result = imported(content, options);
  if (result.kind !== 'zones') throw new Error(JSON.stringify(result));
  return result.drafts;
}

export function problems(content: Content, options: Options = {}): readonly string[] {
  const result = imported(content, options);
  if (result.kind !== 'problems') throw new Error(`No problems: ${JSON.stringify(result).slice(0, 500)}`);
  return result.problems.map(({ place, problem }) => `${place}: ${problem}`);
}

export function questions(content: Content, options: Options = {}): Readonly<Record<string, readonly string[]>> {
  const result = imported(content, options);
  if (result.kind !== 'questions') throw new Error(`No questions: ${JSON.stringify(result).slice(0, 500)}`);
  return Object.fromEntries(result.questions.map(({ id, places }) => [id, places]));
}

/** Closed; `lon` and `lat` are the south-western corner. */
export function square(lon: number, lat: number, side = 0.1): [number, number][] {
  return [
    [lon, lat],
    [lon + side, lat],
    [lon + side, lat + side],
    [lon, lat + side],
    [lon, lat],
  ];
}
