import 'server-only';
import type { ExportFormat } from '#lib/api/export-format.ts';
import type { LiveRecord } from '#lib/api/live-answer.ts';
import { type Bbox, boxRing, formatBbox, splitAtAntimeridian } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { RECORD_FIELDS } from '#lib/model/record-fields.ts';
import { TRAIL_LIMITS } from '#lib/picture/trail-joins.ts';
import { CSV_TYPE, csvRows } from '#lib/text/csv.ts';
import { xmlText } from '#lib/text/xml.ts';
import type { ExportedPositions, ExportItem, ExportWindow } from './export-items.ts';

export interface ExportWriter {
  readonly mediaType: string;
  start(head: ExportHead): string;
  item(item: ExportItem): string;
  end(): string;
}

export interface ExportHead {
  /** Boxes that do not cross 180°. */
  readonly covered: readonly Bbox[];
  readonly layers: readonly Layer[];
  readonly asOf: string;
  readonly window: ExportWindow | undefined;
  readonly filter: string;
}

/** The writer of each format, for one file. A writer holds no records: files are larger than memory. */
export const EXPORT_WRITERS: Readonly<Record<ExportFormat, () => ExportWriter>> = {
  csv: makeCsvWriter,
  geojson: makeGeojsonWriter,
  kml: makeKmlWriter,
};

export const EXPORTED_FIELDS = Object.values(RECORD_FIELDS).map(({ wire }) => wire);

/** The fields of an earlier position of a trail; the others are those of its latest position. */
export const TRAIL_FIELDS: typeof EXPORTED_FIELDS = [
  'public_track_id',
  'track_kind',
  'observed_at',
  'longitude',
  'latitude',
  'altitude_m',
  'height_agl_m',
  'simulated',
  'test_broadcast',
];

/** The value of a field: null for "not reported", and for fields that past positions lack. */
export function fieldOf(record: LiveRecord, name: (typeof EXPORTED_FIELDS)[number]): string | number | boolean | null {
  return record[name] ?? null;
}

const CSV_COLUMNS = ['row', 'layer', ...EXPORTED_FIELDS, 'complete', 'gap_bbox', 'gap_start', 'gap_end', 'gap_reason'];

const noFields = EXPORTED_FIELDS.map(() => null);

/** CSV with a header. A row is a position, an earlier one of a trail, or a gap. */
function makeCsvWriter(): ExportWriter {
  return {
    mediaType: CSV_TYPE,
    start: () => csvRows([CSV_COLUMNS]),
    item(item) {
      if (item.kind === 'gap') {
        const { layer, bbox, window, reason } = item;
        return csvRows([['gap', layer, ...noFields, false, formatBbox(bbox), window?.start, window?.end, reason]]);
      }
      const { row, layer, complete, records } = item;
      const isKept = (name: (typeof EXPORTED_FIELDS)[number]) => row === 'position' || TRAIL_FIELDS.includes(name);
      return csvRows(
        records.map((record) => [
          row,
          layer,
          ...EXPORTED_FIELDS.map((name) => (isKept(name) ? fieldOf(record, name) : null)),
          complete,
          null,
          null,
          null,
          null,
        ]),
      );
    },
    end: () => '',
  };
}

/**
 * GeoJSON (RFC 7946), with areas cut at 180° (3.1.9). It has no third coordinate, since the contract states no datum of
 * `altitude_m`.
 */
function makeGeojsonWriter(): ExportWriter {
  let isFirst = true;
  const feature = (row: string, geometry: GeoJSON.Geometry, properties: object) => {
    const separator = isFirst ? '' : ',\n';
    isFirst = false;
    return `${separator}${JSON.stringify({ type: 'Feature', geometry, properties: { row, ...properties } })}`;
  };
  return {
    mediaType: 'application/geo+json',
    start({ covered, layers, asOf, window, filter }) {
      const properties = { layers, as_of: asOf, start: window?.start ?? null, end: window?.end ?? null, filter };
      return `{"type":"FeatureCollection","features":[\n${feature('area', areaOf(covered), properties)}`;
    },
    item(item) {
      if (item.kind === 'gap') {
        const { layer, bbox, window, reason } = item;
        const properties = { layer, start: window?.start ?? null, end: window?.end ?? null, reason };
        return feature('gap', areaOf([bbox]), properties);
      }
      const { row, layer, complete, records } = item;
      const fields = row === 'position' ? EXPORTED_FIELDS : TRAIL_FIELDS;
      return records
        .map((record) =>
          feature(
            row,
            { type: 'Point', coordinates: [record.longitude, record.latitude] },
            { layer, ...Object.fromEntries(fields.map((name) => [name, fieldOf(record, name)])), complete },
          ),
        )
        .join('');
    },
    end: () => '\n]}\n',
  };
}

function areaOf(boxes: readonly Bbox[]): GeoJSON.MultiPolygon {
  return { type: 'MultiPolygon', coordinates: boxes.flatMap(splitAtAntimeridian).map((box) => [boxRing(box)]) };
}

/** How a position is drawn: at its height above ground, else at its altitude, else on the ground. */
type KmlMode = 'relativeToGround' | 'absolute' | 'clampToGround';

const DRAWN: Readonly<Record<KmlMode, string>> = {
  relativeToGround: 'at their height above ground, which is estimated',
  absolute:
    'at their altitude as reported. Its datum is not stated: they may be too high or too low, even below the ground',
  clampToGround: 'on the ground, since they have neither height nor altitude',
};

function modeOf({ height_agl_m, altitude_m }: LiveRecord): KmlMode {
  if (height_agl_m !== null) return 'relativeToGround';
  return altitude_m === null ? 'clampToGround' : 'absolute';
}

/** Says of each position how it is drawn: no height is invented, and none is silently missing. */
function drawnText(records: readonly LiveRecord[]): string {
  const byMode = Map.groupBy(records, modeOf);
  return (Object.keys(DRAWN) as KmlMode[])
    .flatMap((mode) => {
      const count = byMode.get(mode)?.length ?? 0;
      return count === 0 ? [] : `${count} of ${records.length} positions are drawn ${DRAWN[mode]}.`;
    })
    .join(' ');
}

const KML_FIELDS = ['layer', ...EXPORTED_FIELDS, 'complete'] as const;

/**
 * KML 2.2 with Google's extensions. Each run of positions close in time, and drawn alike, is a gx:Track, so that no viewer
 * joins runs.
 */
function makeKmlWriter(): ExportWriter {
  return {
    mediaType: 'application/vnd.google-earth.kml+xml',
    start: ({ covered, layers, asOf, window, filter }) => `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
<Document>
<name>Received positions</name>
<description>${xmlText(`Received positions only; coverage is not guaranteed. As of ${asOf}.${filter === '' ? '' : ` Filter: ${filter}`}`)}</description>
<Style id="area"><LineStyle><color>ffb3a38f</color></LineStyle><PolyStyle><fill>0</fill></PolyStyle></Style>
<Style id="gap"><LineStyle><color>ff3c96f0</color></LineStyle><PolyStyle><color>403c96f0</color></PolyStyle></Style>
<Schema id="position">
${KML_FIELDS.map((name) => `<gx:SimpleArrayField name="${name}" type="string"/>`).join('\n')}
</Schema>
${area('area', 'Exported area', covered, { layer: layers.join(','), ...window })}`,
    item(item) {
      if (item.kind === 'positions') return tracks(item);
      const { layer, bbox, window, reason } = item;
      return area('gap', `Incomplete: ${layer}`, [bbox], { layer, ...window, reason });
    },
    end: () => '</Document>\n</kml>\n',
  };
}

function tracks({ row, layer, complete, records }: ExportedPositions): string {
  const byReference = new Map<string, LiveRecord[]>();
  for (const record of records) {
    const ofTrack = byReference.get(record.public_track_id);
    if (ofTrack) ofTrack.push(record);
    else byReference.set(record.public_track_id, [record]);
  }
  return Array.from(byReference, ([reference, ofTrack]) => {
    const tags = [
      ofTrack.some(({ simulated }) => simulated) && 'SIM',
      ofTrack.some((each) => each.test_broadcast) && 'TEST',
    ];
    const name = [...tags.filter(Boolean), reference, row === 'trail' && 'trail'].filter(Boolean).join(' ');
    const runs = runsOf(ofTrack).map((run) => track(run, row, layer, complete));
    const geometry =
      runs.length === 1
        ? runs[0]
        : `<gx:MultiTrack><gx:interpolate>0</gx:interpolate>\n${runs.join('')}</gx:MultiTrack>\n`;
    const description = `<description>${xmlText(drawnText(ofTrack))}</description>\n`;
    return `<Placemark><name>${xmlText(name)}</name>\n${description}${geometry}</Placemark>\n`;
  }).join('');
}

function runsOf(records: readonly LiveRecord[]): readonly LiveRecord[][] {
  const inOrder = records
    .map((record) => ({ record, atMs: Date.parse(record.observed_at) }))
    .sort((a, b) => a.atMs - b.atMs);
  const runs: LiveRecord[][] = [];
  let beforeMs = Number.NEGATIVE_INFINITY;
  let before: KmlMode | undefined;
  for (const { record, atMs } of inOrder) {
    const { dottedMs } = TRAIL_LIMITS[record.track_kind === 'drone' ? 'drone' : 'aircraft'];
    const mode = modeOf(record);
    if (atMs - beforeMs > dottedMs || mode !== before) runs.push([]);
    runs.at(-1)?.push(record);
    [beforeMs, before] = [atMs, mode];
  }
  return runs;
}

function track(run: readonly LiveRecord[], row: ExportedPositions['row'], layer: string, complete: boolean): string {
  const fields = KML_FIELDS.filter(
    (name) => row === 'position' || name === 'layer' || name === 'complete' || TRAIL_FIELDS.includes(name),
  );
  const values = (name: (typeof KML_FIELDS)[number]) =>
    run.map((record) => {
      const value = name === 'layer' ? layer : name === 'complete' ? complete : fieldOf(record, name);
      return `<gx:value>${value === null ? '' : xmlText(String(value))}</gx:value>`;
    });
  // A run is drawn alike.
  return `<gx:Track><altitudeMode>${modeOf(run[0] as LiveRecord)}</altitudeMode>
${run.map(({ observed_at }) => `<when>${observed_at}</when>`).join('\n')}
${run.map(({ longitude, latitude, height_agl_m, altitude_m }) => `<gx:coord>${longitude} ${latitude} ${height_agl_m ?? altitude_m ?? 0}</gx:coord>`).join('\n')}
<ExtendedData><SchemaData schemaUrl="#position">
${fields.map((name) => `<gx:SimpleArrayData name="${name}">${values(name).join('')}</gx:SimpleArrayData>`).join('\n')}
</SchemaData></ExtendedData></gx:Track>
`;
}

function area(
  style: string,
  name: string,
  boxes: readonly Bbox[],
  data: Readonly<Record<string, string | undefined>>,
): string {
  const polygons = boxes.flatMap(splitAtAntimeridian).map((box) => {
    const ring = boxRing(box)
      .map(([lon, lat]) => `${lon},${lat}`)
      .join(' ');
    return `<Polygon><outerBoundaryIs><LinearRing><coordinates>${ring}</coordinates></LinearRing></outerBoundaryIs></Polygon>`;
  });
  const details = Object.entries(data)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `<Data name="${key}"><value>${xmlText(value as string)}</value></Data>`);
  return `<Placemark><name>${xmlText(name)}</name><styleUrl>#${style}</styleUrl>
<ExtendedData>${details.join('')}</ExtendedData>
<MultiGeometry>${polygons.join('')}</MultiGeometry></Placemark>
`;
}
