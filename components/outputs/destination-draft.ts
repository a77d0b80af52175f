import {
  type ConfigOf,
  DESTINATION_KINDS,
  type DestinationConfig,
  type DestinationKind,
  kindRow,
  movesSecret,
} from '#lib/api/outputs/destination-kinds.ts';
import type { Destination, DestinationChange, NewDestination } from '#lib/api/outputs/destinations.ts';
import { type FieldProblems, fieldProblems } from '#lib/client/request/refusal-message.ts';

/** `secret` is '' unless it is typed: unchanged. null: removed. */
export type DestinationDraft = Omit<NewDestination, 'secret'> & { readonly secret: string | null };

export function newDestination(kind: DestinationKind, timeZone: string): DestinationDraft {
  return {
    name: '',
    is_on: true,
    config: DESTINATION_KINDS[kind].empty,
    units: 'metric',
    // A kind without notices has no times, and its form no such field.
    time_zone: DESTINATION_KINDS[kind].takesNotices ? timeZone : 'UTC',
    announces: ['opened', 'reopened', 'ended'],
    group_s: 0,
    notices_an_hour: null,
    secret: '',
  };
}

export function destinationDraftOf(destination: Destination): DestinationDraft {
  const { name, is_on, config, units, time_zone, announces, group_s, notices_an_hour } = destination;
  return { name, is_on, config, units, time_zone, announces, group_s, notices_an_hour, secret: '' };
}

export function newBody({ secret, ...draft }: DestinationDraft): NewDestination {
  return secret === null || secret === '' ? draft : { ...draft, secret };
}

export function changeBody({ secret, ...draft }: DestinationDraft, before: Destination): DestinationChange {
  const { revision, config } = before;
  // Lookout makes a new secret, which the receiver then needs.
  const isMade = kindRow(draft.config).secret?.isMade === true;
  const isMadeAgain = secret === '' && isMade && movesSecret(config, draft.config);
  return { ...draft, revision, ...(isMadeAgain ? { secret: null } : secret !== '' && { secret }) };
}

const FORM_FIELDS = [
  ...['name', 'secret', 'time_zone', 'announces', 'group_s', 'notices_an_hour'],
  ...Object.values(DESTINATION_KINDS).flatMap(({ fields }) => fields.map(({ name }) => name)),
];

export type DestinationProblem = FieldProblems<string>;

export function destinationProblem(error: unknown): DestinationProblem {
  return fieldProblems(error, FORM_FIELDS, 'config.');
}

export interface KindFieldsProps<Kind extends DestinationKind> {
  readonly config: ConfigOf<Kind>;
  readonly problems: DestinationProblem['fields'];
  readonly onChange: (config: DestinationConfig) => void;
}
