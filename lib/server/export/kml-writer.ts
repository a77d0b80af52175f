import 'server-only';
import type { LiveRecord } from '#lib/api/live-record.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { boxRing } from '#lib/geo/box-ring.ts';
import { splitAtAntimeridian } from '#lib/geo/split-at-antimeridian.ts';
import { TRAIL_LIMITS } from '#lib/picture/trail-joins.ts';
import { xmlText } from '#lib/text/xml.ts';
import { EXPORTED_FIELDS, fieldOf, TRAIL_FIELDS } from './export-columns.ts';
import type { ExportedPositions, ExportWriter } from './export-item.ts';

const ON_GROUND =
  'Positions without a received height above ground are drawn on the ground: the datum of their altitude is not stated.';

const FIELDS = ['layer', ...EXPORTED_FIELDS, 'complete'] as const;

/**
 * KML 2.2 with Google's extensions. Each run of positions close in time is a gx:Track, so that no viewer joins runs.
 * Positions without a height above ground lie on the ground, since the contract states no datum of `altitude_m`.
 */
export function makeKmlWriter(): ExportWriter {
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
${FIELDS.map((name) => `<gx:SimpleArrayField name="${name}" type="string"/>`).join('\n')}
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
    const isOnGround = ofTrack.some(({ height_agl_m }) => height_agl_m === null);
    const description = isOnGround ? `<description>${xmlText(ON_GROUND)}</description>\n` : '';
    return `<Placemark><name>${xmlText(name)}</name>\n${description}${geometry}</Placemark>\n`;
  }).join('');
}

function runsOf(records: readonly LiveRecord[]): readonly LiveRecord[][] {
  const inOrder = records
    .map((record) => ({ record, atMs: Date.parse(record.observed_at) }))
    .sort((a, b) => a.atMs - b.atMs);
  const runs: LiveRecord[][] = [];
  let beforeMs = Number.NEGATIVE_INFINITY;
  let hadHeight = false;
  for (const { record, atMs } of inOrder) {
    const { dottedMs } = TRAIL_LIMITS[record.track_kind === 'drone' ? 'drone' : 'aircraft'];
    const hasHeight = record.height_agl_m !== null;
    if (atMs - beforeMs > dottedMs || hasHeight !== hadHeight) runs.push([]);
    runs.at(-1)?.push(record);
    [beforeMs, hadHeight] = [atMs, hasHeight];
  }
  return runs;
}

function track(run: readonly LiveRecord[], row: ExportedPositions['row'], layer: string, complete: boolean): string {
  const fields = FIELDS.filter(
    (name) => row === 'position' || name === 'layer' || name === 'complete' || TRAIL_FIELDS.includes(name),
  );
  const values = (name: (typeof FIELDS)[number]) =>
    run.map((record) => {
      const value = name === 'layer' ? layer : name === 'complete' ? complete : fieldOf(record, name);
      return `<gx:value>${value === null ? '' : xmlText(String(value))}</gx:value>`;
    });
  const mode = run[0]?.height_agl_m === null ? 'clampToGround' : 'relativeToGround';
  return `<gx:Track><altitudeMode>${mode}</altitudeMode>
${run.map(({ observed_at }) => `<when>${observed_at}</when>`).join('\n')}
${run.map(({ longitude, latitude, height_agl_m }) => `<gx:coord>${longitude} ${latitude} ${height_agl_m ?? 0}</gx:coord>`).join('\n')}
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
