import {
  type ConfigOf,
  type Destination,
  type DestinationChange,
  type DestinationConfig,
  type DestinationKind,
  movesSecret,
  type NewDestination,
} from '#lib/api/outputs/destinations.ts';
import { type FieldProblems, fieldProblems } from '#lib/client/request/refusal-message.ts';

/** `secret` is '' unless it is typed: unchanged. null: removed. */
export type DestinationDraft = Omit<NewDestination, 'secret'> & { readonly secret: string | null };

const CONFIGS: { readonly [Kind in DestinationKind]: ConfigOf<Kind> } = {
  webhook: { kind: 'webhook', url: '' },
  ntfy: { kind: 'ntfy', url: '', priority: 4 },
  mail: { kind: 'mail', host: '', port: 587, security: 'starttls', user: '', ca_pem: '', from: '', to: [] },
  mqtt: { kind: 'mqtt', url: '', user: '', topic: 'lookout', discovery_topic: 'homeassistant', ca_pem: '' },
  cot: { kind: 'cot', host: '', port: 8089, server_name: '', ca_pem: '', certificate_pem: '', positions: null },
  heartbeat: { kind: 'heartbeat', url: '' },
};

export function newDestination(kind: DestinationKind, timeZone: string): DestinationDraft {
  return {
    name: '',
    is_on: true,
    config: CONFIGS[kind],
    units: 'metric',
    // A heartbeat has no times, and its form no such field.
    time_zone: kind === 'heartbeat' ? 'UTC' : timeZone,
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
  // A new one, which its receiver then needs.
  const isMadeAgain = secret === '' && draft.config.kind === 'webhook' && movesSecret(config, draft.config);
  return { ...draft, revision, ...(isMadeAgain ? { secret: null } : secret !== '' && { secret }) };
}

const FORM_FIELDS = [
  ...['name', 'secret', 'time_zone', 'announces', 'group_s', 'notices_an_hour'],
  ...['url', 'priority', 'host', 'port', 'user', 'from', 'to', 'topic', 'discovery_topic'],
  ...['ca_pem', 'certificate_pem', 'positions'],
] as const;

export type DestinationProblem = FieldProblems<string>;

export function destinationProblem(error: unknown): DestinationProblem {
  return fieldProblems(error, FORM_FIELDS, 'config.');
}

export interface KindFieldsProps<Kind extends DestinationKind> {
  readonly config: ConfigOf<Kind>;
  readonly problems: DestinationProblem['fields'];
  readonly onChange: (config: DestinationConfig) => void;
}
