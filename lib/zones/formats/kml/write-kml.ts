import { xmlText } from '#lib/text/xml.ts';
import { drawnGeometry } from '../geojson/drawn-geometry.ts';
import { type ExportedZone, OWN_FIELDS, ownFieldsOf } from '../geojson/own-fields.ts';
import { ZONE_COLOUR } from '../geojson/write-geojson.ts';
import type { Position } from '../reading/coordinates.ts';

/** KML 2.2, on the ground. */
export function writeKml(zones: readonly ExportedZone[]): string {
  // KML colours are alpha, blue, green, red.
  const colour = ZONE_COLOUR.replace(/^#(..)(..)(..)$/, '$3$2$1');
  return `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2">
<Document>
<name>Zones</name>
<Style id="zone"><LineStyle><color>ff${colour}</color><width>2</width></LineStyle><PolyStyle><color>1a${colour}</color></PolyStyle></Style>
${zones.map(placemark).join('')}</Document>
</kml>
`;
}

function placemark(zone: ExportedZone): string {
  return `<Placemark><name>${xmlText(zone.name)}</name><styleUrl>#zone</styleUrl>
<ExtendedData><Data name="${OWN_FIELDS}"><value>${xmlText(asciiJson(ownFieldsOf(zone)))}</value></Data></ExtendedData>
${geometryOf(zone)}</Placemark>
`;
}

/** XML forbids or changes other characters. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function geometryOf({ shape }: ExportedZone): string {
  const { type, coordinates } = drawnGeometry(shape);
  switch (type) {
    case 'Polygon':
      return polygon(coordinates);
    case 'MultiPolygon':
      return `<MultiGeometry>${coordinates.map(polygon).join('')}</MultiGeometry>\n`;
    case 'LineString':
      return line(coordinates);
    case 'MultiLineString':
      return `<MultiGeometry>${coordinates.map(line).join('')}</MultiGeometry>\n`;
  }
}

function polygon([edge = [], ...holes]: readonly (readonly Position[])[]): string {
  const inner = holes.map((hole) => `<innerBoundaryIs>${ringOf(hole)}</innerBoundaryIs>`).join('');
  return `<Polygon><tessellate>1</tessellate><outerBoundaryIs>${ringOf(edge)}</outerBoundaryIs>${inner}</Polygon>\n`;
}

function ringOf(ring: readonly Position[]): string {
  return `<LinearRing><coordinates>${textOf(ring)}</coordinates></LinearRing>`;
}

function line(positions: readonly Position[]): string {
  return `<LineString><tessellate>1</tessellate><coordinates>${textOf(positions)}</coordinates></LineString>\n`;
}

function textOf(positions: readonly Position[]): string {
  return positions.map(([lon, lat]) => `${lon},${lat}`).join(' ');
}
