import { describe, expect, test } from 'vitest';
import { drafts, imported, problems, questions } from './import-file.fixture.ts';

const EDGE = '8,46,0 8.2,46,0 8.2,46.2,0 8,46.2,0 8,46,0';
const edge = [
  [8, 46],
  [8.2, 46],
  [8.2, 46.2],
  [8, 46.2],
  [8, 46],
];
const HOLES = ['8.05,46.05 8.1,46.05 8.1,46.1 8.05,46.05', '8.12,46.12 8.17,46.12 8.17,46.17 8.12,46.12'];
const ring = (coordinates: string) => `<LinearRing><coordinates>${coordinates}</coordinates></LinearRing>`;
const outer = (coordinates = EDGE) => `<outerBoundaryIs>${ring(coordinates)}</outerBoundaryIs>`;
const inner = (...holes: string[]) => `<innerBoundaryIs>${holes.map(ring).join('')}</innerBoundaryIs>`;
const polygon = (inside = outer()) => `<Polygon>${inside}</Polygon>`;
const placemark = (inside: string, name = 'A') => `<Placemark>\n<name>${name}</name>\n${inside}\n</Placemark>`;
const kml = (inside: string, root = ' xmlns="http://www.opengis.net/kml/2.2"') =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<kml${root}><Document>\n${inside}\n</Document></kml>`;
const USUAL = kml(placemark(polygon()));
const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

describe('rings', () => {
  const rings = (inside: string) => {
    const [draft] = drafts(kml(placemark(polygon(inside))));
    return draft?.shape.type === 'Polygon' ? draft.shape.coordinates.length : 0;
  };

  test('every inner ring is a hole, in one boundary or in several, before or after the outer one', () => {
    const [first, second] = HOLES as [string, string];
    expect(rings(outer() + inner(first, second))).toBe(3);
    expect(rings(outer() + inner(first) + inner(second))).toBe(3);
    expect(rings(inner(first, second) + outer())).toBe(3);
  });

  test('open ones are closed, which the import says', () => {
    const open = EDGE.split(' ').slice(0, -1).join(' ');
    expect(imported(kml(placemark(polygon(outer(open)))))).toMatchObject({
      drafts: [{ shape: { coordinates: [edge] } }],
      changed: [expect.stringMatching(/^Placemark 1 “A”: is not closed/)],
    });
  });

  test('a second outer ring or list of coordinates is refused, and never dropped', () => {
    const [hole] = HOLES as [string];
    expect(problems(kml(placemark(polygon(outer() + outer(hole))))).join()).toMatch(/Polygon with 2 outer rings/);
    const two = `<LineString><coordinates>8,46 9,46</coordinates><coordinates>9,47 9,48</coordinates></LineString>`;
    expect(problems(kml(placemark(two))).join()).toMatch(/LineString of 2 lists/);
    const points = '<Point><coordinates>8,46 9,46</coordinates></Point>';
    expect(problems(kml(placemark(points)), { answers: { points: 9 } }).join()).toMatch(/no pair of numbers: \[\[8,46/);
  });

  test('closed lines ask whether they are areas', () => {
    for (const line of [ring(EDGE), `<LineString><coordinates>${EDGE}</coordinates></LineString>`]) {
      expect(questions(kml(placemark(line)))).toEqual({ closed_lines: ['Placemark 1 “A”'] });
      expect(drafts(kml(placemark(line)), { answers: { closed_lines: 'area' } })[0]?.shape).toMatchObject({
        coordinates: [edge],
      });
    }
  });
});

describe('coordinates', () => {
  const read = (coordinates: string) => drafts(kml(placemark(polygon(outer(coordinates)))))[0]?.shape;

  test.each([
    ['blanks after commas', EDGE.replaceAll(',', ', ')],
    ['blanks around commas, line breaks', EDGE.replaceAll(',', ' ,\n').replaceAll('0 8', '0\t\n 8')],
    ['unknown heights', EDGE.replaceAll(',0', ',NaN')],
    ['CDATA and comments', `<![CDATA[${EDGE.slice(0, 20)}]]><!-- & more -->${EDGE.slice(20)}`],
  ])('with %s are read', (_, coordinates) => {
    expect(read(coordinates)).toEqual({ type: 'Polygon', coordinates: [edge] });
  });

  test.each([
    ['commas for blanks', EDGE.replaceAll(' ', ','), /no pair of numbers: "8,46,0,8.2,46,0/],
    [
      'a position without its blank',
      EDGE.replace('46,0 8.2', '46,0,8.2'),
      /position 1: has a position that is no pair/,
    ],
    ['blanks for commas', EDGE.replaceAll(',', ' '), /no pair of numbers: "8"/],
    ['metres', EDGE.replaceAll('8', '2600000'), /save the file in WGS 84/],
  ])('with %s are refused, and never dropped', (_, coordinates, message) => {
    expect(problems(kml(placemark(polygon(outer(coordinates))))).join()).toMatch(message);
  });

  test('beyond 180° run on', () => {
    expect(read('179,1 181,1 181,2 179,1')).toMatchObject({
      coordinates: [
        [
          [179, 1],
          [-179, 1],
          [-179, 2],
          [179, 1],
        ],
      ],
    });
  });
});

describe('placemarks', () => {
  test('without a geometry, or with an empty one, are left out by name', () => {
    const view = placemark('<LookAt><longitude>8</longitude></LookAt>', 'Camera');
    const empty = placemark('<Point><coordinates/></Point>', 'Empty');
    expect(imported(kml(view + empty + placemark(polygon())))).toMatchObject({
      drafts: [{ name: 'A' }],
      leftOut: ['Placemark 1 “Camera”: has no geometry', 'Placemark 2 “Empty”: has a Point without positions'],
    });
  });

  test('prefixed, without a namespace, and hidden ones are read', () => {
    const prefixed = kml(placemark(polygon()), ' xmlns:kml="http://www.opengis.net/kml/2.2"').replaceAll(
      /<(\/?)(?!\?)/g,
      '<$1kml:',
    );
    for (const file of [
      prefixed,
      kml(placemark(polygon()), ''),
      kml(placemark(`<visibility>0</visibility>${polygon()}`)),
    ])
      expect(imported(file)).toMatchObject({ drafts: [{ name: 'A', shape: { coordinates: [edge] } }], changed: [] });
  });

  test('of a schema are read by its name, and unknown geometries are never dropped', () => {
    const schema = '<Schema parent="Placemark" name="Site"/>';
    const site = placemark(polygon(), 'B').replaceAll('Placemark', 'Site');
    expect(drafts(kml(schema + placemark(polygon()) + site)).map(({ name }) => name)).toEqual(['A', 'B']);
    const surface = `<MultiGeometry>${polygon()}<Surface>${ring(EDGE)}</Surface></MultiGeometry>`;
    expect(problems(kml(placemark(surface))).join()).toMatch(/part 2: has a geometry of the type "Surface"/);
  });

  test('parts that are cut at 180° are one zone', () => {
    const east = polygon(outer('179,10 180,10 180,11 179,11 179,10'));
    const west = polygon(outer('-180,10 -179,10 -179,11 -180,11 -180,10'));
    const [zone, ...others] = drafts(kml(placemark(`<MultiGeometry>${east}${west}</MultiGeometry>`)));
    expect(others).toEqual([]);
    expect(zone?.name).toBe('A');
  });

  test('a file of nothing but pictures has no zones, and says what it has', () => {
    expect(problems(kml('<GroundOverlay/><GroundOverlay/>'))).toEqual([
      'The file: has no zones',
      'Left out: The file: has 2 pictures on the ground',
    ]);
  });
});

describe('XML', () => {
  test.each([
    [
      'a bare &',
      USUAL.replace('>A<', '>Search & rescue<'),
      'Line 4: has “&” that is not written as &amp;: “me>Search & rescue</name>”',
    ],
    [
      'a bare & in an attribute',
      USUAL.replace('<Polygon>', '<Polygon id="a&b">'),
      /^Line 5: has “&” that is not written/,
    ],
    ['an entity of HTML', USUAL.replace('>A<', '>caf&eacute;<'), /^Line 4: has &eacute;, which XML does not define/],
    ['a bare <', USUAL.replace('>A<', '>below < 100 m<'), /^Line 4: has “<” that is not written as &lt;/],
    [
      'an element that another ends',
      USUAL.replace('</Polygon>', '</Poly>'),
      'Line 5: ends </Poly> where <Polygon> of line 5 is open',
    ],
    [
      'a cut file',
      USUAL.slice(0, USUAL.indexOf('</Placemark>')),
      'Line 5: is where the file ends, while <Placemark> of line 3 is open: it is cut short',
    ],
    ['a cut comment', `${USUAL}<!-- more`, /^Line 7: begins a comment without its end: the file is cut short/],
    ['an attribute without quotes', USUAL.replace('<Polygon>', '<Polygon id=1>'), /^Line 5: has <Polygon> with “id=1”/],
    [
      'two equal attributes',
      USUAL.replace('<Polygon>', '<Polygon id="1" id="1">'),
      /^Line 5: has <Polygon> with two attributes id/,
    ],
    ['a control character', USUAL.replace('>A<', '>A\u000B<'), /^Line 4: has the character U\+000B/],
    ['two first elements', `${USUAL}<kml/>`, /^Line 7: has <kml> after the end of the first element/],
    ['text behind', `${USUAL}more`, /^Line 7: has text outside of the first element/],
    [
      'a document type',
      USUAL.replace('<kml', '<!DOCTYPE kml SYSTEM "x.dtd"><kml'),
      /^Line 2: declares a document type/,
    ],
  ])('%s is named with its line', (_, file, message) => {
    const found = problems(file).join();
    if (typeof message === 'string') expect(found).toBe(message);
    else expect(found).toMatch(message);
  });

  test('several faults are listed at once', () => {
    expect(problems(USUAL.replace('>A<', '>A & B<').replace('<Polygon>', '<Polygon id="&">'))).toHaveLength(2);
  });

  test('descriptions may contain anything in CDATA, and quotes may contain >', () => {
    const inside = '<description><![CDATA[<!DOCTYPE html><p>a & b &nbsp;</p>]]></description>';
    expect(drafts(kml(placemark(inside + polygon()).replace('<Polygon>', '<Polygon id="a>b/">')))).toHaveLength(1);
  });

  test.each([
    [
      'of an attribute',
      USUAL.replace('<Document>', '<Document xsi:schemaLocation="a b">'),
      /^The file: uses the prefix xsi: .*line 2/,
    ],
    [
      'of an element',
      USUAL.replace('<Polygon>', '<Polygon><gx:balloonVisibility>1</gx:balloonVisibility>'),
      /the prefix gx: .*line 5/,
    ],
  ])('a prefix %s may lack its declaration, which the import says', (_, file, message) => {
    const result = imported(file);
    expect(result).toMatchObject({ drafts: [{ shape: { coordinates: [edge] } }] });
    if (result.kind === 'zones') expect(result.changed.join()).toMatch(message);
  });
});

describe('encodings', () => {
  const named = USUAL.replace('>A<', '>Z\u00FCrich<');
  const declaring = (encoding: string) => named.replace('UTF-8', encoding);

  test.each([
    ['windows-1252', latin1(declaring('windows-1252'))],
    ['ISO-8859-1', latin1(declaring('ISO-8859-1'))],
    ['ISO-8859-15, in single quotes', latin1(declaring('ISO-8859-15').replaceAll(/"(1.0|ISO-8859-15)"/g, "'$1'"))],
    ['UTF-8 with a byte order mark', new TextEncoder().encode(`\uFEFF${named}`)],
    ['UTF-16 with a byte order mark', Uint8Array.from(Buffer.from(`\uFEFF${declaring('UTF-16')}`, 'utf16le'))],
    ['UTF-16 without a byte order mark', Uint8Array.from(Buffer.from(declaring('UTF-16'), 'utf16le'))],
  ])('%s is read', (_, bytes) => {
    expect(imported(bytes)).toMatchObject({ drafts: [{ name: 'Zürich' }], changed: [] });
  });

  test('other characters than those of Western Europe are read', () => {
    const bytes = latin1(
      USUAL.replace('UTF-8', 'windows-1250')
        .replace('>A<', '>\u0141\u00F3d\u017A<')
        .replace('\u0141', '\u00A3')
        .replace('\u017A', '\u009F'),
    );
    expect(drafts(bytes)[0]?.name).toBe('Łódź');
  });

  test('UTF-8 that declares UTF-16 is read, which the import says', () => {
    expect(imported(declaring('UTF-16'))).toMatchObject({
      drafts: [{ name: 'Zürich' }],
      changed: ['The file: declares UTF-16, but is in UTF-8, in which it is read'],
    });
  });

  test.each([
    [
      'bytes that are not in the declared one',
      latin1(named),
      'Line 4: has bytes that are no UTF-8, which the file declares; save it in UTF-8',
    ],
    [
      'none declared',
      latin1(named.replace(' encoding="UTF-8"', '')),
      /^Line 4: has bytes that are no UTF-8, and the file declares no other/,
    ],
    [
      'an unknown one',
      latin1(declaring('x-nothing')),
      /^The file: declares the encoding x-nothing, which this browser/,
    ],
  ])('%s is named', (_, bytes, message) => {
    const found = problems(bytes).join();
    if (typeof message === 'string') expect(found).toBe(message);
    else expect(found).toMatch(message);
  });
});
