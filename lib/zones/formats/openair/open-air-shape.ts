import type { ZoneShape } from '../../zone.ts';
import { type Position, readPosition } from '../reading/coordinates.ts';
import type { ImportReport } from '../reading/import-report.ts';
import { arcBetween, arcByBearings } from './arc-positions.ts';
import { openAirPosition } from './open-air-position.ts';

const NAUTICAL_MILE_M = 1852;
const SHAPE_RADIUS_M = { min: 1, max: 500_000 } as const;

export class OpenAirShape {
  readonly #report: ImportReport;
  readonly #edge: Position[] = [];
  readonly #airway: Position[] = [];
  readonly #circles: ZoneShape[] = [];
  #centre: Position | undefined;
  #clockwise = true;
  #widthM: number | undefined;
  #isEmpty = true;

  constructor(report: ImportReport) {
    this.#report = report;
  }

  /** Such as `X=47:27:29 N 008:32:53 E`. */
  variable(text: string, place: string): void {
    const [, name = '', value = ''] = /^([A-Z])\s*=\s*(.*)$/i.exec(text) ?? [];
    switch (name.toUpperCase()) {
      case 'X':
        this.#centre = this.#position(value, place);
        break;
      case 'D':
        if (value === '+' || value === '-') this.#clockwise = value === '+';
        else this.#report.problem(place, `has the direction “${value.slice(0, 20)}”, which is neither + nor -`);
        break;
      case 'W':
        this.#widthM = this.#miles(value, place);
        break;
      // Zoom from which programs show the airspace.
      case 'Z':
        break;
      default:
        this.#report.problem(place, `sets “${text.slice(0, 20)}”, which is none of X, D, W and Z`);
    }
  }

  /** @param command `DP`, `DC`, `DA`, `DB` or `DY` */
  draw(command: string, text: string, place: string): void {
    this.#isEmpty = false;
    const corner = command === 'DP' || command === 'DY' ? this.#position(text, place) : undefined;
    if (corner) (command === 'DP' ? this.#edge : this.#airway).push(corner);
    if (command === 'DC') this.#circle(text, place);
    if (command === 'DA' || command === 'DB') this.#edge.push(...this.#arc(command, text, place));
  }

  shapes(place: string): (ZoneShape | undefined)[] {
    const shapes: (ZoneShape | undefined)[] = [...this.#circles];
    if (this.#edge.length > 0) shapes.push(this.#polygon(place));
    if (this.#airway.length > 0) shapes.push(this.#corridor(place));
    if (this.#isEmpty) this.#report.problem(place, 'has no geometry');
    return shapes.length > 0 ? shapes : [undefined];
  }

  #polygon(place: string): ZoneShape | undefined {
    const ring = withoutRepeats(this.#edge);
    const [first, last] = [ring[0] as Position, ring.at(-1) as Position];
    // The format closes an open edge.
    if (first[0] !== last[0] || first[1] !== last[1]) ring.push(first);
    if (ring.length >= 4) return { type: 'Polygon', coordinates: [ring] };
    return this.#report.problem(place, `has ${ring.length - 1} corners, where 3 are needed`);
  }

  #corridor(place: string): ZoneShape | undefined {
    const line = withoutRepeats(this.#airway);
    if (this.#widthM === undefined) return this.#report.problem(place, 'has an airway (DY) without a width (V W=)');
    if (line.length < 2) return this.#report.problem(place, 'has an airway of one position');
    return { type: 'Corridor', line, half_width_m: this.#widthM / 2 };
  }

  #circle(text: string, place: string): void {
    const radius_m = this.#miles(text, place);
    const centre = this.#centreFor('DC', place);
    if (radius_m !== undefined && centre) this.#circles.push({ type: 'Circle', centre, radius_m });
  }

  #arc(command: 'DA' | 'DB', text: string, place: string): Position[] {
    const centre = this.#centreFor(command, place);
    const parts = text.split(',').map((part) => part.trim());
    if (command === 'DB') {
      // Some files add a comma between latitude and longitude.
      const [from, to] = parts.length === 4 ? [`${parts[0]} ${parts[1]}`, `${parts[2]} ${parts[3]}`] : parts;
      const [start, end] = [this.#position(from ?? '', place), this.#position(to ?? '', place)];
      return centre && start && end ? arcBetween(centre, start, end, this.#clockwise) : [];
    }
    const radiusM = this.#miles(parts[0] ?? '', place);
    const [fromDeg, toDeg] = [bearing(parts[1]), bearing(parts[2])];
    if (fromDeg === undefined || toDeg === undefined || parts.length !== 3)
      this.#report.problem(
        place,
        `is “${text.slice(0, 60)}”, where a radius and two bearings such as 5, 270, 290 are needed`,
      );
    else if (radiusM !== undefined && centre) return arcByBearings(centre, radiusM, fromDeg, toDeg, this.#clockwise);
    return [];
  }

  #centreFor(command: string, place: string): Position | undefined {
    return this.#centre ?? this.#report.problem(place, `has ${command} without a centre (V X=) before it`);
  }

  #position(text: string, place: string): Position | undefined {
    const written = openAirPosition(text);
    if (written) return readPosition(written, place, this.#report);
    return this.#report.problem(
      place,
      `has the position “${text.slice(0, 60)}”, which is none such as 47:27:29 N 008:32:53 E`,
    );
  }

  #miles(text: string, place: string): number | undefined {
    const [, miles = ''] = /^(\d{1,4}(?:[.,]\d{1,9})?|\.\d{1,9})\s*(?:nm)?$/i.exec(text) ?? [];
    const m = Math.round(Number(miles.replace(',', '.')) * NAUTICAL_MILE_M * 1000) / 1000;
    if (m >= SHAPE_RADIUS_M.min && m <= SHAPE_RADIUS_M.max) return m;
    return this.#report.problem(
      place,
      `has the distance “${text.slice(0, 20)}”, where a number of nautical miles is needed`,
    );
  }
}

function bearing(text = ''): number | undefined {
  return /^\d{1,3}(\.\d{1,9})?$/.test(text) && Number(text) <= 360 ? Number(text) : undefined;
}

function withoutRepeats(line: readonly Position[]): Position[] {
  return line.filter(([lon, lat], index) => lon !== line[index - 1]?.[0] || lat !== line[index - 1]?.[1]);
}
