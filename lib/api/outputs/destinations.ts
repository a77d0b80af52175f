import * as z from 'zod/mini';
import { UNIT_SYSTEMS } from '#lib/model/units.ts';
import { instantText } from '#lib/time/instant-schema.ts';
import { layerSchema } from '../layer-schema.ts';
import { readUrl } from '../read-url.ts';
import { shortName } from '../short-name.ts';

/** `smtp://mailhost` is `mailhost`. */
const host = z.string().check(
  z.overwrite((typed) => typed.trim().replace(/^\w+:\/\/(.*?)\/*$/, '$1')),
  z.minLength(1),
  z.maxLength(253),
);
const port = z.int().check(z.gte(1), z.lte(65_535));
const url = (protocol: RegExp) =>
  z
    .url({ protocol, error: 'must be an address' })
    .check(z.maxLength(2000))
    .check(z.refine(isWithoutUser, 'config.url: must contain no user or password, because answers would show it'));
const httpUrl = url(/^https?$/);
const text = z.string().check(z.maxLength(200));
const pem = z.string().check(z.maxLength(20_000));
const ca_pem = z._default(pem, '');
const MAIL_WORD = String.raw`[\p{L}\p{M}\p{N}!#$%&'*+/=?^_{|}~\x60-]+`;
const MAIL_LABEL = String.raw`[\p{L}\p{N}][\p{L}\p{M}\p{N}_-]*`;
/** Words with dots, or printable ASCII in quotes without what separates addresses; at a name, with or without a dot, or an address in brackets. */
const MAIL_ADDRESS = new RegExp(
  String.raw`^(?:${MAIL_WORD}(?:\.${MAIL_WORD})*|"[!#-+\--:<-[\]-~]+")` +
    String.raw`@(?:${MAIL_LABEL}(?:\.${MAIL_LABEL})*|\[[\d.]+\]|\[IPv6:[\da-f:.]+\])$`,
  'iu',
);
const mailAddress = z.string().check(z.regex(MAIL_ADDRESS, 'must be an address of mail'), z.maxLength(254));
const seconds = (least: number, most: number) => z.int().check(z.gte(least), z.lte(most));

/** Secrets are separate: no answer contains them. */
export const destinationConfigSchema = z.discriminatedUnion('kind', [
  /** CloudEvents 1.0 in the Standard Webhooks envelope. Secrets: those that sign, the newest first. */
  z.strictObject({ kind: z.literal('webhook'), url: httpUrl }),
  /** `url` ends with the topic. Secret: an access token, or none. */
  z.strictObject({ kind: z.literal('ntfy'), url: httpUrl, priority: z._default(z.int().check(z.gte(1), z.lte(5)), 4) }),
  /** Secret: the password, or none. */
  z.strictObject({
    kind: z.literal('mail'),
    host,
    port,
    /** `tls` from the first byte, `starttls` required, or `none`. */
    security: z.enum(['tls', 'starttls', 'none']),
    user: z._default(text, ''),
    /** '': the authorities that Node.js brings. */
    ca_pem,
    from: mailAddress,
    to: z.array(mailAddress).check(z.minLength(1), z.maxLength(20)),
  }),
  /** Home Assistant discovery: a device for each zone whose rules name it. Secret: the password, or none. */
  z.strictObject({
    kind: z.literal('mqtt'),
    url: url(/^mqtts?$/),
    user: z._default(text, ''),
    topic: z._default(z.string().check(z.regex(/^[\w-]{1,64}(\/[\w-]{1,64}){0,4}$/)), 'lookout'),
    discovery_topic: z._default(z.string().check(z.regex(/^[\w-]{1,64}$/)), 'homeassistant'),
    /** '': the authorities that Node.js brings. */
    ca_pem,
  }),
  /** Cursor on Target over TLS. Secret: the key of the client certificate, as PEM. */
  z.strictObject({
    kind: z.literal('cot'),
    host,
    port,
    /** In its certificate; '': the host. */
    server_name: z._default(z.string().check(z.maxLength(253)), ''),
    /** '': the authorities that Node.js brings. */
    ca_pem,
    certificate_pem: pem,
    /** null: alarms only. */
    positions: z._default(
      z.nullable(
        z.strictObject({
          layers: z.array(layerSchema).check(z.minLength(1)),
          /** [west, south, east, north] in degrees; null: everything that Lookout reads. */
          bbox: z._default(z.nullable(z.tuple([z.number(), z.number(), z.number(), z.number()])), null),
          /** At most one position of a track in this time. */
          every_s: z._default(seconds(1, 300), 5),
        }),
      ),
      null,
    ),
  }),
  /** A request each minute while Lookout watches. Not for rules. */
  z.strictObject({ kind: z.literal('heartbeat'), url: httpUrl }),
]);
export type DestinationConfig = z.infer<typeof destinationConfigSchema>;
export type DestinationKind = DestinationConfig['kind'];
export type ConfigOf<Kind extends DestinationKind> = Extract<DestinationConfig, { kind: Kind }>;

interface SecretPlace {
  /** For people: scheme or encryption, host and port. */
  readonly text: string;
  readonly host: string;
  readonly port: string;
  readonly isEncrypted: boolean;
  /** Proof that the host is the right one: authorities and a name. */
  readonly proof: string;
}

/** Where the secret of each kind can go. */
const SECRET_PLACES: { readonly [Kind in DestinationKind]: (config: ConfigOf<Kind>) => SecretPlace } = {
  webhook: ({ url: address }) => placeOfUrl(address),
  ntfy: ({ url: address }) => placeOfUrl(address),
  mail: ({ host: name, port: number, security, ca_pem: proof }) =>
    placeOf({ none: 'smtp, not encrypted,', starttls: 'smtp, STARTTLS,', tls: 'smtps' }[security], name, number, proof),
  mqtt: ({ url: address, ca_pem: proof }) => placeOfUrl(address, proof),
  cot: ({ host: name, port: number, server_name, ca_pem: proof }) =>
    placeOf('TLS', name, number, `${server_name} ${proof}`),
  heartbeat: ({ url: address }) => placeOfUrl(address),
};

const ENCRYPTED: readonly string[] = ['https:', 'mqtts:', 'smtps', 'smtp, STARTTLS,', 'TLS'];
const PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443', 'mqtt:': '1883', 'mqtts:': '8883' };

function placeOf(way: string, host: string, port: number | string, proof = ''): SecretPlace {
  const name = host.toLowerCase();
  const text = `${way.endsWith(':') ? `${way}//` : `${way} `}${name}:${port}`;
  return { text, host: name, port: String(port), isEncrypted: ENCRYPTED.includes(way), proof };
}

function placeOfUrl(text: string, proof = ''): SecretPlace {
  const { protocol = '', hostname = '', port = '' } = readUrl(text) ?? {};
  return placeOf(protocol, hostname, port || (PORTS[protocol] ?? ''), proof);
}

export function secretPlaceOf(config: DestinationConfig): SecretPlace {
  const place = SECRET_PLACES[config.kind] as (of: DestinationConfig) => SecretPlace;
  return place(config);
}

/** Whether the stored secret would go to another server, to one that proves less, or in clear text. */
export function movesSecret(before: DestinationConfig, after: DestinationConfig): boolean {
  const [old, next] = [secretPlaceOf(before), secretPlaceOf(after)];
  return (
    old.host !== next.host ||
    old.port !== next.port ||
    old.proof.trim() !== next.proof.trim() ||
    (old.isEncrypted && !next.isEncrypted)
  );
}

export const ANNOUNCED = ['opened', 'reopened', 'unknown', 'known', 'ended'] as const;

const noticeChoices = {
  units: z._default(z.enum(UNIT_SYSTEMS), 'metric'),
  /** IANA name. */
  time_zone: z._default(z.string().check(z.minLength(1), z.maxLength(64)), 'UTC'),
  /** Transitions that are sent. */
  announces: z._default(z.array(z.enum(ANNOUNCED)).check(z.minLength(1)), ['opened', 'reopened', 'ended']),
  /** Alarms of one zone within this time are one notice; 0: each is sent at once. */
  group_s: z._default(seconds(0, 3600), 0),
  /** More are grouped into one notice with their number, sent when the hour is over. null: no limit. */
  notices_an_hour: z._default(z.nullable(z.int().check(z.gte(1), z.lte(100_000))), null),
};

const destinationFields = {
  /** 1 to 80 characters, unique. */
  name: shortName,
  is_on: z._default(z.boolean(), true),
  config: destinationConfigSchema,
  ...noticeChoices,
};

const secret = z.string().check(z.minLength(1), z.maxLength(20_000));

/** `secret` absent: none, or for a webhook one that Lookout makes. */
export const newDestinationSchema = z.strictObject({ ...destinationFields, secret: z.optional(secret) });
export type NewDestination = z.infer<typeof newDestinationSchema>;

/**
 * `revision`: the one that the caller read. The kind cannot change. `secret` absent: unchanged, which another host, port,
 * authority or name, or the end of encryption, does not allow; null: removed, or for a webhook a new one.
 */
export const destinationChangeSchema = z.strictObject({
  ...destinationFields,
  secret: z.optional(z.nullable(secret)),
  revision: z.int(),
});
export type DestinationChange = z.infer<typeof destinationChangeSchema>;

const destinationSchema = z.object({
  id: z.uuid(),
  revision: z.int().check(z.gte(1)),
  ...destinationFields,
  /** How many: a webhook has two or more while they rotate. */
  secrets: z.int().check(z.gte(0)),
  /** Why Lookout switched it off, such as status 410. */
  switched_off: z.nullable(z.object({ at: instantText, reason: z.string() })),
  /** The latest failure since the last arrival. */
  problem: z.nullable(z.object({ since: instantText, text: z.string() })),
  last_arrived_at: z.nullable(instantText),
  next_try_at: z.nullable(instantText),
  waiting: z.int().check(z.gte(0)),
  /** When the first of them was or is due. */
  waiting_since: z.nullable(instantText),
  /** Of the deliveries that are kept, for as long as alarms. */
  given_up: z.int().check(z.gte(0)),
});
export type Destination = z.infer<typeof destinationSchema>;

export const destinationsSchema = z.object({
  /** The server's time. */
  as_of: instantText,
  destinations: z.array(destinationSchema),
});
export type DestinationsAnswer = z.infer<typeof destinationsSchema>;

/** The answer to a new or changed destination: `secret` is shown once, where Lookout made it. */
export const changedDestinationSchema = z.object({ destination: destinationSchema, secret: z.nullable(z.string()) });
export type ChangedDestination = z.infer<typeof changedDestinationSchema>;

/** Operators choose from these for a rule. */
export const destinationNameSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  kind: z.enum(['webhook', 'ntfy', 'mail', 'mqtt', 'cot']),
  is_on: z.boolean(),
});
export const destinationNamesSchema = z.object({ destinations: z.array(destinationNameSchema) });
export type DestinationName = z.infer<typeof destinationNameSchema>;
export type DestinationNames = z.infer<typeof destinationNamesSchema>;

const DELIVERY_STATES = ['waiting', 'arrived', 'grouped', 'given_up'] as const;

export const deliverySchema = z.object({
  /** The same over all tries; `webhook-id` of a webhook. */
  id: z.uuid(),
  destination: z.object({ id: z.uuid(), name: z.string(), kind: z.string() }),
  /** `escalated`: no operator had acknowledged. `summary`: "and 41 more". */
  type: z.enum([...ANNOUNCED, 'escalated', 'summary', 'trial']),
  /** Alarms in it: more than one of a group. */
  alarms: z.int().check(z.gte(0)),
  state: z.enum(DELIVERY_STATES),
  created_at: instantText,
  /** The recipient's server accepted it. */
  arrived_at: z.nullable(instantText),
  tries: z.int().check(z.gte(0)),
  next_try_at: z.nullable(instantText),
  /** Of the last try. */
  problem: z.nullable(z.string()),
});
export type Delivery = z.infer<typeof deliverySchema>;

/** Of a destination or an alarm, the latest first. */
export const deliveriesSchema = z.object({ deliveries: z.array(deliverySchema) });
export type Deliveries = z.infer<typeof deliveriesSchema>;

/** The answer to a trial that begins: the id of its delivery. */
export const trialSchema = z.object({ delivery: z.uuid() });

function isWithoutUser(text: string): boolean {
  const address = readUrl(text);
  return address === null || (address.username === '' && address.password === '');
}
