import type { ZoneSource } from '../zone.ts';
import { isEd269, readEd269 } from './ed/read-ed-269.ts';
import { isEd318, readEd318 } from './ed/read-ed-318.ts';
import { readGeojson } from './geojson/read-geojson.ts';
import { readKmlZones } from './kml/read-placemarks.ts';
import { isOpenAir, readOpenAir } from './openair/read-open-air.ts';
import { decoded } from './reading/decoded.ts';
import { fieldsOf } from './reading/fields.ts';
import type { ImportReport } from './reading/import-report.ts';
import { RECORD_SEPARATOR, readJson, readJsonRecords } from './reading/json-document.ts';
import type { ReadFeature } from './reading/read-zone.ts';

export interface ZoneFile {
  readonly bytes: Uint8Array;
  /** `DOMParser` in a browser. May throw. */
  readonly parseXml: (xml: string) => Document;
}

export interface ZonesOfFile {
  readonly format: NonNullable<ZoneSource>['format'];
  readonly features: Iterable<ReadFeature>;
}

/** Zip and gzip, as Windows-1252. */
const ARCHIVES = ['PK', '\u001F\u2039'];

/** By content: file names say little. */
export function zonesOfFile({ bytes, parseXml }: ZoneFile, importedAt: string, report: ImportReport): ZonesOfFile {
  const { text: whole, problem, isMisdeclared } = decoded(bytes);
  const text = whole.trimStart();
  const refused = (place: string, why: string): ZonesOfFile => {
    report.problem(place, why);
    return { format: 'geojson', features: [] };
  };
  if (ARCHIVES.some((start) => text.startsWith(start)))
    return refused('The file', 'is a KMZ or another archive; unpack it, and choose the file in it');
  if (isOpenAir(text) && !/^[<{[]/.test(text)) {
    if (problem) report.change('The file', 'is not in UTF-8, and is read in Windows-1252; check the names');
    return { format: 'openair', features: readOpenAir(whole, importedAt, report) };
  }
  if (!/^[<{[]/.test(text) && !text.startsWith(RECORD_SEPARATOR))
    return refused('The file', 'is none of GeoJSON, KML, ED-269, ED-318 and OpenAir');
  if (/^<!doctype\s+html|^<html/i.test(text))
    return refused('The file', 'is a web page, such as a sign-in or an error, and no KML');
  if (problem) return refused(problem.place, problem.problem);
  if (isMisdeclared) report.change('The file', 'declares UTF-16, but is in UTF-8, in which it is read');
  return text.startsWith('<')
    ? { format: 'kml', features: readKmlZones(text, parseXml, report) }
    : zonesOfJson(text, importedAt, report);
}

function zonesOfJson(text: string, importedAt: string, report: ImportReport): ZonesOfFile {
  const read = readJson(text);
  let document: unknown;
  if ('problem' in read) {
    const records = readJsonRecords(text);
    for (const { place, problem } of records?.problems ?? [read.problem]) report.problem(place, problem);
    if (!records || records.problems.length > 0) return { format: 'geojson', features: [] };
    document = { features: records.features };
  } else document = Array.isArray(read.value) ? { features: read.value } : read.value;
  const fields = fieldsOf(document);
  const { features = fields.UASZoneList, UASZoneList: _, type, ...others } = fields;
  if (!Array.isArray(features)) return { format: 'geojson', features: readGeojson(fields, report) };
  if (isEd269(features)) return { format: 'ed-269', features: readEd269(features, others, importedAt, report) };
  if (isEd318(features)) return { format: 'ed-318', features: readEd318(features, others, importedAt, report) };
  return { format: 'geojson', features: readGeojson({ ...fields, features }, report) };
}
