import { DOMParser, onErrorStopParsing } from '@xmldom/xmldom';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { overlayContentSchema } from '#lib/api/overlay.ts';
import { OverlayProblem } from './overlays-text.ts';
import { packedOverlay, readOverlay } from './read-overlay.ts';

function parseXml(xml: string): Document {
  return new DOMParser({ onError: onErrorStopParsing }).parseFromString(xml, 'text/xml') as unknown as Document;
}

const read = (value: unknown) => readOverlay(typeof value === 'string' ? value : JSON.stringify(value), parseXml);
const feature = (geometry: unknown, properties: unknown = {}) => ({ type: 'Feature', geometry, properties });
const point = { type: 'Point', coordinates: [8.55, 47.46] };
const kml = (inside: string) => `<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2">${inside}</kml>`;

describe('GeoJSON', () => {
  test('keeps shapes, names and simplestyle, and drops heights and everything else', () => {
    const { content } = read({
      type: 'FeatureCollection',
      features: [
        feature(
          {
            type: 'Polygon',
            coordinates: [
              [
                [8, 47, 400],
                [9, 47, 400],
                [9, 48.123456789, 400],
                [8, 47, 400],
              ],
            ],
          },
          {
            name: ' CTR\u202e 1 ',
            stroke: '#F00',
            'stroke-width': '3',
            fill: '00ff00',
            'fill-opacity': 0.25,
            description: '<img src=x onerror=alert(1)>',
            url: 'https://spy.example/',
          },
        ),
        feature({ type: 'GeometryCollection', geometries: [point, point] }, { title: 7, 'marker-color': 'red' }),
        feature(null),
      ],
    });
    expect(content.features).toEqual([
      {
        type: 'Feature',
        properties: { name: 'CTR  1', stroke: '#ff0000', 'stroke-width': 3, fill: '#00ff00', 'fill-opacity': 0.25 },
        geometry: {
          type: 'Polygon',
          coordinates: [
            [
              [8, 47],
              [9, 47],
              [9, 48.123457],
              [8, 47],
            ],
          ],
        },
      },
      { type: 'Feature', properties: { name: '7' }, geometry: point },
      { type: 'Feature', properties: { name: '7' }, geometry: point },
    ]);
  });

  test('reads a single feature and a single geometry too', () => {
    expect(read(feature(point)).content.features).toHaveLength(1);
    expect(read(point).content.features).toHaveLength(1);
  });

  test.each([
    ['half a file', '{"type":"FeatureCollection",', /no valid JSON/],
    ['an empty file', '', /neither GeoJSON nor KML/],
    ['a table', 'lat,lon\n47,8', /neither GeoJSON nor KML/],
    ['a zip archive', 'PK\u0003\u0004', /KMZ/],
    ['TopoJSON', { type: 'Topology', objects: {} }, /TopoJSON/],
    ['a collection of nothing', { type: 'FeatureCollection' }, /without features/],
    ['a feature that is null', { type: 'FeatureCollection', features: [null] }, /Feature 1 is none/],
    ['an empty collection', { type: 'FeatureCollection', features: [] }, /no points, lines or areas/],
    ['other JSON', { name: 'no GeoJSON' }, /geometry of the type undefined/],
    [
      'metres',
      feature({ type: 'Point', coordinates: [2_683_000, 1_256_000] }),
      /Feature 1 has the position 2683000.*WGS/,
    ],
    ['texts', feature({ type: 'Point', coordinates: ['8', '47'] }), /without longitude and latitude/],
    ['a missing longitude', feature({ type: 'Point', coordinates: [null, 47] }), /without longitude and latitude/],
    ['a line of one position', feature({ type: 'LineString', coordinates: [[8, 47]] }), /1 positions, where 2 are/],
    ['a number', feature({ type: 'Polygon', coordinates: 7 }), /has no coordinates/],
    ['too many shapes', { type: 'FeatureCollection', features: Array(2001).fill(feature(point)) }, /at most 2000/],
    ['too large shapes', { type: 'MultiPoint', coordinates: Array(80_000).fill([8.123456, 47.1]) }, /at most 1000 kB/],
  ])('%s is refused in words', (_, value, message) => {
    expect(() => read(value)).toThrow(message);
    expect(() => read(value)).toThrow(OverlayProblem);
  });

  test('reads only overlays that the server accepts, and explains any refusal', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.jsonValue(), fc.jsonValue(), (text, coordinates, properties) => {
        for (const value of [
          text,
          feature({ type: 'LineString', coordinates }, properties),
          feature(point, properties),
        ])
          try {
            expect(overlayContentSchema.safeParse(read(value).content).error).toBeUndefined();
          } catch (error) {
            expect(error).toBeInstanceOf(OverlayProblem);
          }
      }),
    );
  });
});

describe('KML', () => {
  test('keeps shapes, names and the colours of styles', () => {
    const { content, leftOut } = read(
      kml(`<Document>
        <Style id="zone"><LineStyle><color>ff0000ff</color><width>4</width></LineStyle>
          <PolyStyle><color>4000ff00</color></PolyStyle></Style>
        <Style id="pin"><IconStyle><color>ffff0000</color><Icon><href>https://spy.example/p.png</href></Icon></IconStyle></Style>
        <Placemark><name>Zone 4</name><styleUrl>#zone</styleUrl>
          <description><![CDATA[<script>alert(1)</script>]]></description>
          <Polygon><outerBoundaryIs><LinearRing><coordinates>8,47,0 9,47,0 9,48,0 8,47,0</coordinates></LinearRing>
          </outerBoundaryIs></Polygon></Placemark>
        <Placemark><name>Gate</name><styleUrl>#pin</styleUrl><Point><coordinates>8.5,47.4</coordinates></Point></Placemark>
      </Document>`),
    );
    expect(leftOut).toEqual([]);
    expect(content.features.map(({ properties }) => properties)).toEqual([
      {
        name: 'Zone 4',
        stroke: '#ff0000',
        'stroke-opacity': 1,
        'stroke-width': 4,
        fill: '#00ff00',
        'fill-opacity': 0.25,
      },
      { name: 'Gate', 'marker-color': '#0000ff' },
    ]);
    expect(JSON.stringify(content)).not.toMatch(/spy|script|href/);
  });

  test('counts what is not drawn, and opens none of it', () => {
    const { content, leftOut } = read(
      kml(`<Folder><NetworkLink><Link><href>https://spy.example/more.kml</href></Link></NetworkLink>
        <GroundOverlay><Icon><href>https://spy.example/1.png</href></Icon>
          <LatLonBox><north>48</north><south>47</south><east>9</east><west>8</west></LatLonBox></GroundOverlay>
        <GroundOverlay><Icon><href>2.png</href></Icon></GroundOverlay>
        <Placemark><Point><coordinates>8,47</coordinates></Point></Placemark></Folder>`),
    );
    expect(content.features).toHaveLength(1);
    expect(leftOut).toEqual(['1 link to other files', '2 pictures on the ground']);
  });

  test.each([
    ['entities', '<!DOCTYPE kml [<!ENTITY x SYSTEM "file:///etc/passwd">]><kml>&x;</kml>', /document type or entities/],
    ['half a document', '<kml><Placemark>', /it is cut short/],
    ['GPX', '<gpx><wpt lat="47" lon="8"/></gpx>', /XML, but no KML/],
    ['an empty document', kml('<Document/>'), /no points, lines or areas/],
    [
      'a position off the globe',
      kml('<Placemark><Point><coordinates>800,47</coordinates></Point></Placemark>'),
      /no longitude and latitude/,
    ],
  ])('%s is refused in words', (_, text, message) => {
    expect(() => read(text)).toThrow(message);
    expect(() => read(text)).toThrow(OverlayProblem);
  });
});

test('shapes that compress to more than a request takes are refused in words', async () => {
  const coordinates = Array.from({ length: 20_000 }, (_, i) => [
    Math.round(((i * 7919) % 180) * 1e6 + ((i * 104_729) % 1_000_003)) / 1e6,
    Math.round(((i * 6007) % 80) * 1e6 + ((i * 15_485_863) % 1_000_003)) / 1e6,
  ]);
  const { content } = read({ type: 'MultiPoint', coordinates });
  await expect(packedOverlay(content)).rejects.toThrow(/kB compressed; an overlay has at most 60 kB/);
});
