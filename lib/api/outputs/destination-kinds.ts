import * as z from 'zod/mini';
import { LAYERS } from '#lib/model/position.ts';
import { layerSchema } from '../layer-state.ts';
import type { SupervisedPartName } from '../operation/ready-answer.ts';
import { readUrl } from '../read-url.ts';

/** An admin may type `smtp://mailhost` for `mailhost`. */
const host = z.string().check(
  z.overwrite((typed) => typed.trim().replace(/^\w+:\/\/(.*?)\/*$/, '$1')),
  z.minLength(1),
  z.maxLength(253),
);
/** A whole number between limits, and the field of a form that has the same limits. */
function whole(label: string, unit: string, min: number, max: number) {
  return {
    schema: z.int().check(z.gte(min), z.lte(max)),
    field: { label, unit, min, max, input: 'number' },
  } as const;
}
const PORT = whole('Port', '', 1, 65_535);
const EVERY_S = whole('A track at most every', 's', 1, 300);
const port = PORT.schema;
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
/**
 * Before the @, words with dots, or printable ASCII in quotes without the signs that separate addresses. After it, a name
 * with or without a dot, or an IP address in brackets.
 */
const MAIL_ADDRESS = new RegExp(
  String.raw`^(?:${MAIL_WORD}(?:\.${MAIL_WORD})*|"[!#-+\--:<-[\]-~]+")` +
    String.raw`@(?:${MAIL_LABEL}(?:\.${MAIL_LABEL})*|\[[\d.]+\]|\[IPv6:[\da-f:.]+\])$`,
  'iu',
);
const mailAddress = z.string().check(z.regex(MAIL_ADDRESS, 'must be an address of mail'), z.maxLength(254));

export interface SecretPlace {
  /** Scheme or encryption, host and port, for people. */
  readonly text: string;
  readonly host: string;
  readonly port: string;
  readonly isEncrypted: boolean;
  /** Authorities and a name, which prove that the host is the right one. */
  readonly proof: string;
}

interface Named<Name extends string> {
  readonly name: Name;
  readonly label: string;
}

/** Choices of one value, or of several. */
type Choices = readonly { readonly value: string | number; readonly label: string }[];

type SimpleField<Name extends string = string> = Named<Name> &
  (
    | { readonly input: 'text'; readonly note?: string; readonly placeholder?: string; readonly isLong?: true }
    | { readonly input: 'url'; readonly note?: string; readonly placeholder: string }
    | { readonly input: 'number'; readonly unit: string; readonly min: number; readonly max: number }
    | { readonly input: 'list'; readonly note: string }
    | { readonly input: 'switch'; readonly note: string }
    | { readonly input: 'choice'; readonly choices: Choices }
    /** The operator chooses at least one. */
    | { readonly input: 'choices'; readonly choices: Choices }
    /** [west, south, east, north] in degrees, or null. */
    | { readonly input: 'box'; readonly note: string; readonly placeholder: string }
  );

/** Fields behind a switch. Their value is an object, or null while the switch is off. */
type FieldGroup<Name extends string = string> = Named<Name> & {
  readonly input: 'group';
  readonly note: string;
  readonly starts: Readonly<Record<string, unknown>>;
  readonly fields: readonly SimpleField[];
};

/** A field of the form of a kind. */
export type KindField<Name extends string = string> = SimpleField<Name> | FieldGroup<Name>;

interface SecretWords {
  readonly label: string;
  /** The admin cannot remove it. */
  readonly isRequired: boolean;
  /** Lookout makes it, unless the admin types one. */
  readonly isMade?: true;
  readonly isLong?: true;
  /** The field with the certificate, if the secret is its key. */
  readonly certificate?: string;
}

/** All that browser and server share about a kind. `lib/server/delivery/kinds.ts` has its sender. */
export interface DestinationKindRow<Schema extends z.ZodMiniObject = z.ZodMiniObject> {
  readonly schema: Schema;
  readonly text: string;
  /** False: rules cannot name it, and it takes no trial. */
  readonly takesNotices: boolean;
  /** The part of the server that sends to it, besides the delivery of notices. */
  readonly part?: SupervisedPartName;
  /** `undefined`: the kind has no secret. */
  readonly secret: SecretWords | undefined;
  readonly fields: readonly KindField<keyof z.infer<Schema> & string>[];
  /** The values of a new form. */
  readonly empty: z.infer<Schema>;
  /** Where its notices go, for its card. */
  whereText(config: z.infer<Schema>): string;
  /** Where its secret can go. */
  secretPlace(config: z.infer<Schema>): SecretPlace;
}

/** A row without the type of its configuration. */
export interface AnyKindRow {
  readonly schema: z.ZodMiniObject;
  readonly text: string;
  readonly takesNotices: boolean;
  readonly part?: SupervisedPartName;
  readonly secret: SecretWords | undefined;
  readonly fields: readonly KindField[];
  whereText(config: AnyConfig): string;
  secretPlace(config: AnyConfig): SecretPlace;
}

interface AnyConfig {
  readonly kind: string;
}

/** Checks a row against its schema. */
export function destinationKind<Schema extends z.ZodMiniObject>(
  row: DestinationKindRow<Schema>,
): DestinationKindRow<Schema> {
  return row;
}

const ADDRESS = { name: 'url', label: 'Address', input: 'url', placeholder: 'https://' } as const;
const HOST = [
  { name: 'host', label: 'Server', input: 'text' },
  { name: 'port', ...PORT.field },
] as const;
const AUTHORITY = {
  name: 'ca_pem',
  label: 'Authority',
  input: 'text',
  isLong: true,
  note: 'PEM of the authority that signed the server’s certificate. Empty: the authorities that Node.js brings.',
} as const;

/** The kinds of destinations, one row each. Secrets are separate from configurations: no answer contains them. */
export const DESTINATION_KINDS = {
  /** CloudEvents 1.0 in the Standard Webhooks envelope. Secrets: those that sign, the newest first. */
  webhook: destinationKind({
    schema: z.strictObject({ kind: z.literal('webhook'), url: httpUrl }),
    text: 'Webhook',
    takesNotices: true,
    secret: { label: 'Secret that signs', isRequired: true, isMade: true },
    fields: [{ ...ADDRESS, note: 'Receives signed CloudEvents (Standard Webhooks).' }],
    empty: { kind: 'webhook', url: '' },
    whereText: ({ url }) => url,
    secretPlace: ({ url }) => placeOfUrl(url),
  }),
  /** `url` ends with the topic. Secret: an access token, or none. */
  ntfy: destinationKind({
    schema: z.strictObject({
      kind: z.literal('ntfy'),
      url: httpUrl,
      priority: z._default(z.int().check(z.gte(1), z.lte(5)), 4),
    }),
    text: 'ntfy',
    takesNotices: true,
    secret: { label: 'Access token', isRequired: false },
    fields: [
      { name: 'url', label: 'Address of the topic', input: 'url', placeholder: 'https://ntfy.example/topic' },
      {
        name: 'priority',
        label: 'Priority',
        input: 'choice',
        choices: ['Lowest', 'Low', 'Default', 'High', 'Highest'].map((label, index) => ({ value: index + 1, label })),
      },
    ],
    empty: { kind: 'ntfy', url: '', priority: 4 },
    whereText: ({ url }) => url,
    secretPlace: ({ url }) => placeOfUrl(url),
  }),
  /** Secret: the password, or none. */
  mail: destinationKind({
    schema: z.strictObject({
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
    text: 'Mail',
    takesNotices: true,
    secret: { label: 'Password', isRequired: false },
    fields: [
      ...HOST,
      {
        name: 'security',
        label: 'Encryption',
        input: 'choice',
        choices: [
          { value: 'starttls', label: 'STARTTLS' },
          { value: 'tls', label: 'TLS' },
          { value: 'none', label: 'None' },
        ],
      },
      AUTHORITY,
      { name: 'user', label: 'User', input: 'text', note: 'Empty: no sign-in at the server.' },
      { name: 'from', label: 'From', input: 'text' },
      { name: 'to', label: 'To', input: 'list', note: 'Up to 20 addresses, separated by commas.' },
    ],
    empty: { kind: 'mail', host: '', port: 587, security: 'starttls', user: '', ca_pem: '', from: '', to: [] },
    whereText: ({ to, host: name, port: number }) => `${to.join(', ')} by ${name}:${number}`,
    secretPlace: ({ host: name, port: number, security, ca_pem: proof }) =>
      placeOf(
        { none: 'smtp, not encrypted,', starttls: 'smtp, STARTTLS,', tls: 'smtps' }[security],
        name,
        number,
        proof,
      ),
  }),
  /** Home Assistant discovery: a device for each zone whose rules name it. Secret: the password, or none. */
  mqtt: destinationKind({
    schema: z.strictObject({
      kind: z.literal('mqtt'),
      url: url(/^mqtts?$/),
      user: z._default(text, ''),
      topic: z._default(z.string().check(z.regex(/^[\w-]{1,64}(\/[\w-]{1,64}){0,4}$/)), 'lookout'),
      discovery_topic: z._default(z.string().check(z.regex(/^[\w-]{1,64}$/)), 'homeassistant'),
      /** '': the authorities that Node.js brings. */
      ca_pem,
    }),
    text: 'MQTT',
    takesNotices: true,
    part: 'zone_states',
    secret: { label: 'Password', isRequired: false },
    fields: [
      {
        name: 'url',
        label: 'Address of the broker',
        input: 'url',
        placeholder: 'mqtts://broker.example:8883',
        note: 'Home Assistant finds a device for each zone whose rules name this destination.',
      },
      { name: 'user', label: 'User', input: 'text', note: 'Empty: no sign-in at the broker.' },
      { name: 'topic', label: 'Topic', input: 'text' },
      { name: 'discovery_topic', label: 'Topic of discovery', input: 'text' },
      AUTHORITY,
    ],
    empty: { kind: 'mqtt', url: '', user: '', topic: 'lookout', discovery_topic: 'homeassistant', ca_pem: '' },
    whereText: ({ url, topic }) => `${url}, topic ${topic}`,
    secretPlace: ({ url, ca_pem: proof }) => placeOfUrl(url, proof),
  }),
  /** Cursor on Target over TLS. Secret: the key of the client certificate, as PEM. */
  cot: destinationKind({
    schema: z.strictObject({
      kind: z.literal('cot'),
      host,
      port,
      /** The name in its certificate; '': the host. */
      server_name: z._default(z.string().check(z.maxLength(253)), ''),
      /** '': the authorities that Node.js brings. */
      ca_pem,
      certificate_pem: pem,
      /** With null, only alarms are sent. */
      positions: z._default(
        z.nullable(
          z.strictObject({
            layers: z.array(layerSchema).check(z.minLength(1)),
            /** [west, south, east, north] in degrees; null: everything that Lookout reads. */
            bbox: z._default(z.nullable(z.tuple([z.number(), z.number(), z.number(), z.number()])), null),
            /** At most one position of a track in this time. */
            every_s: z._default(EVERY_S.schema, 5),
            /** Clients of TAK draw a trail of the positions that they received. */
            trail: z._default(z.boolean(), false),
          }),
        ),
        null,
      ),
    }),
    text: 'TAK server (CoT)',
    takesNotices: true,
    secret: { label: 'Key of the client certificate', isRequired: true, isLong: true, certificate: 'certificate_pem' },
    fields: [
      ...HOST,
      {
        name: 'certificate_pem',
        label: 'Client certificate',
        input: 'text',
        isLong: true,
        note: 'PEM. Its key is the secret below.',
      },
      {
        name: 'server_name',
        label: 'Name in its certificate',
        input: 'text',
        note: 'Such as takserver. Empty: the host.',
      },
      AUTHORITY,
      {
        name: 'positions',
        label: 'Positions too',
        input: 'group',
        note: 'Off: alarms alone.',
        starts: { layers: LAYERS, bbox: null, every_s: 5, trail: false },
        fields: [
          {
            name: 'layers',
            label: 'Positions of',
            input: 'choices',
            choices: LAYERS.map((value) => ({ value, label: value === 'rid' ? 'Drones' : 'Aircraft' })),
          },
          {
            name: 'bbox',
            label: 'In the area',
            input: 'box',
            note: 'West, south, east, north in degrees. Empty: everything that Lookout reads.',
            placeholder: '8.2,46.7,8.9,47.1',
          },
          { name: 'every_s', ...EVERY_S.field },
          {
            name: 'trail',
            label: 'Trails',
            input: 'switch',
            note: 'ATAK draws where a track was since it received it.',
          },
        ],
      },
    ],
    empty: { kind: 'cot', host: '', port: 8089, server_name: '', ca_pem: '', certificate_pem: '', positions: null },
    whereText: ({ host: name, port: number, positions }) =>
      `${name}:${number}, ${positions ? 'alarms and positions' : 'alarms'}`,
    secretPlace: ({ host: name, port: number, server_name, ca_pem: proof }) =>
      placeOf('TLS', name, number, `${server_name} ${proof}`),
  }),
  /** A request each minute while Lookout watches. Not for rules. */
  heartbeat: destinationKind({
    schema: z.strictObject({ kind: z.literal('heartbeat'), url: httpUrl }),
    text: 'Heartbeat',
    takesNotices: false,
    part: 'heartbeat',
    secret: undefined,
    fields: [
      {
        ...ADDRESS,
        note: 'Receives a request each minute while Lookout watches. Its service raises the alarm when they stop.',
      },
    ],
    empty: { kind: 'heartbeat', url: '' },
    whereText: ({ url }) => url,
    secretPlace: ({ url }) => placeOfUrl(url),
  }),
};

export type DestinationKind = keyof typeof DESTINATION_KINDS;
export type ConfigOf<Kind extends DestinationKind> = z.infer<(typeof DESTINATION_KINDS)[Kind]['schema']>;
export type DestinationConfig = ConfigOf<DestinationKind>;

export const DESTINATION_KIND_NAMES = Object.keys(DESTINATION_KINDS) as DestinationKind[];
export const NOTICE_KINDS = DESTINATION_KIND_NAMES.filter((kind) => DESTINATION_KINDS[kind].takesNotices);

/** The row of a configuration, without the type of its kind. */
export function kindRow(
  { kind }: AnyConfig,
  kinds: Readonly<Record<string, AnyKindRow>> = DESTINATION_KINDS,
): AnyKindRow {
  const row = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (!row) throw new Error(`there is no kind of destinations named ${kind}`);
  return row;
}

/** Reads the configurations of all kinds in a table. */
export function configSchemaOf<Kinds extends Readonly<Record<string, Pick<AnyKindRow, 'schema'>>>>(kinds: Kinds) {
  type Schema = Kinds[keyof Kinds]['schema'];
  const [first, ...others] = Object.values(kinds).map(({ schema }) => schema as Schema);
  return z.discriminatedUnion('kind', [first as Schema, ...others]);
}

export const destinationConfigSchema = configSchemaOf(DESTINATION_KINDS);

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
  return kindRow(config).secretPlace(config);
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

function isWithoutUser(text: string): boolean {
  const address = readUrl(text);
  return address === null || (address.username === '' && address.password === '');
}
