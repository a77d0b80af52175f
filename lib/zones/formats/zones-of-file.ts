import type { ZoneSource } from '../zone.ts';
import { isEd269, readEd269 } from './ed/read-ed-269.ts';
import { isEd318, readEd318 } from './ed/read-ed-318.ts';
import { readGeojson } from './geojson/read-geojson.ts';
import { readKmlZones } from './kml/read-placemarks.ts';
import { isOpenAir, readOpenAir } from './openair/read-open-air.ts';
import { decoded } from './reading/decoded.ts';
import { fieldsOf } from './reading/fields.ts';
import type { ImportReport } from './reading/import-report.ts';
import { readJson } from './reading/json-document.ts';
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

/** By content: file names say little. */
export function zonesOfFile({ bytes, parseXml }: ZoneFile, importedAt: string, report: ImportReport): ZonesOfFile {
  const { text: whole, isUtf } = decoded(bytes);
  const text = whole.trimStart();
  if (text.startsWith('PK')) {
    report.problem('The file', 'is a KMZ or another zip archive; unpack it, and choose the file in it');
    return { format: 'kml', features: [] };
  }
  if (isOpenAir(text) && !/^[<{[]/.test(text))
    return { format: 'openair', features: readOpenAir(whole, importedAt, report) };
  if (!isUtf || !/^[<{[]/.test(text)) {
    report.problem('The file', isUtf ? 'is none of GeoJSON, KML, ED-269, ED-318 and OpenAir' : 'is no text in UTF-8');
    return { format: 'geojson', features: [] };
  }
  return text.startsWith('<')
    ? { format: 'kml', features: readKmlZones(text, parseXml, report) }
    : zonesOfJson(text, importedAt, report);
}

function zonesOfJson(text: string, importedAt: string, report: ImportReport): ZonesOfFile {
  const read = readJson(text);
  if ('problem' in read) {
    report.problem('The file', read.problem);
    return { format: 'geojson', features: [] };
  }
  const document = Array.isArray(read.value) ? { features: read.value } : fieldsOf(read.value);
  const { features = document.UASZoneList, UASZoneList: _, type, ...fields } = document as Record<string, unknown>;
  if (!Array.isArray(features)) return { format: 'geojson', features: readGeojson(document, report) };
  if (isEd269(features)) return { format: 'ed-269', features: readEd269(features, fields, importedAt, report) };
  if (isEd318(features)) return { format: 'ed-318', features: readEd318(features, fields, importedAt, report) };
  return { format: 'geojson', features: readGeojson(document, report) };
}
