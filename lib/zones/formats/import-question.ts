/** An answer applies to every place of its question. */
export interface ImportAnswers {
  /** In volumes whose limits are in feet. */
  readonly radius?: 'feet' | 'metres';
  /** IANA name for times without a zone. */
  readonly time_zone?: string;
  /** Hours that a zone can't have become wider. */
  readonly hours?: 'widen';
  /** One is kept where their fields differ. */
  readonly heights?: 'floor' | 'ceiling';
  /** No limit, or 100 ft each in `altitude_m`. */
  readonly flight_levels?: 'open' | 'standard';
  /** Of heights that state none. */
  readonly reference?: 'amsl' | 'agl';
  /** Of a point before three digits. */
  readonly point?: 'thousands' | 'decimals';
  /** Radius in metres. */
  readonly points?: 'leave_out' | number;
  /** Half width in metres. */
  readonly lines?: 'leave_out' | number;
  readonly closed_lines?: 'area' | 'line';
  readonly corners?: 'simplify';
}

export type QuestionId = keyof ImportAnswers;

export interface ImportQuestion {
  readonly id: QuestionId;
  readonly text: string;
  readonly places: readonly string[];
  readonly count: number;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  /** A length in metres, or an IANA name. */
  readonly free: 'metres' | 'time_zone' | null;
}

type Asked = Pick<ImportQuestion, 'text' | 'choices' | 'free'>;

const LEAVE_OUT = { value: 'leave_out', label: 'Leave them out' };

export const QUESTIONS: Readonly<Record<QuestionId, Asked>> = {
  radius: {
    text: 'These circles are in volumes measured in feet. Publishers differ on whether the radius is in feet too.',
    choices: [
      { value: 'metres', label: 'The radius is in metres' },
      { value: 'feet', label: 'The radius is in feet' },
    ],
    free: null,
  },
  time_zone: { text: 'These times state no time zone. In which time zone are they?', choices: [], free: 'time_zone' },
  hours: {
    text: 'A zone has either weekly windows or one span of dates. The file limits these zones in another way.',
    choices: [{ value: 'widen', label: 'Use wider hours that contain them: weekly windows without dates, or always' }],
    free: null,
  },
  heights: {
    text: 'These zones have one limit above ground and the other above sea level. A zone tests one height field.',
    choices: [
      { value: 'ceiling', label: 'Keep the ceiling, with no floor' },
      { value: 'floor', label: 'Keep the floor, with no ceiling' },
    ],
    free: null,
  },
  flight_levels: {
    text: 'These limits are flight levels: altitudes by air pressure. The altitude of a position has no stated datum.',
    choices: [
      { value: 'open', label: 'Leave these limits open: not stated in metres' },
      { value: 'standard', label: 'Use 100 ft a level as altitude, which can be wrong by some hundred metres' },
    ],
    free: null,
  },
  reference: {
    text: 'These heights do not say from where they are measured.',
    choices: [
      { value: 'amsl', label: 'They are altitudes above mean sea level (AMSL)' },
      { value: 'agl', label: 'They are heights above ground (AGL)' },
    ],
    free: null,
  },
  point: {
    text: 'In these heights a point is followed by three digits.',
    choices: [
      { value: 'thousands', label: 'It groups thousands: 3.500 is three thousand five hundred' },
      { value: 'decimals', label: 'It begins decimals: 3.500 is three and a half' },
    ],
    free: null,
  },
  points: {
    text: 'These points have no area. Which radius around them is the zone?',
    choices: [LEAVE_OUT],
    free: 'metres',
  },
  lines: {
    text: 'These lines have no area. Which half width along them is the zone?',
    choices: [LEAVE_OUT],
    free: 'metres',
  },
  closed_lines: {
    text: 'These lines end where they begin. Which zone do they make?',
    choices: [
      { value: 'area', label: 'The area within' },
      { value: 'line', label: 'A strip along the line' },
    ],
    free: null,
  },
  corners: {
    text: 'These shapes have more corners than a zone can have.',
    choices: [{ value: 'simplify', label: 'Remove corners; the words of each zone say how far its edge moves' }],
    free: null,
  },
};
