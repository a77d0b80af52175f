import 'server-only';
import * as z from 'zod/mini';
import { type DestinationConfig, destinationConfigSchema } from '#lib/api/outputs/destination-kinds.ts';
import { ANNOUNCED } from '#lib/api/outputs/destinations.ts';
import { UNIT_SYSTEMS, type UnitSystem } from '#lib/model/units.ts';
import type { Query, Tables } from '../database/tables.ts';
import type { ZoneCaller } from '../zones/zone-rows.ts';
import { openCot } from './senders/cot.ts';
import { openMail } from './senders/mail.ts';
import { openMqtt } from './senders/mqtt.ts';
import { openNtfy } from './senders/ntfy.ts';
import { openPush, type PushConfig } from './senders/push.ts';
import type { Sender, SenderDeps } from './senders/sender.ts';
import { openWebhook } from './senders/webhook.ts';

/** A destination as its sender and its queue know it. */
export interface StoredDestination<Config = DestinationConfig> {
  readonly id: string;
  readonly revision: number;
  readonly name: string;
  readonly config: Config;
  /** The newest secret is first. */
  readonly secrets: readonly string[];
  readonly units: UnitSystem;
  readonly timeZone: string;
  /** Whose browser it is: alarms that this person does not see are left out. */
  readonly seenBy?: ZoneCaller;
  /** The quiet hours of that person: nothing but a trial is sent. */
  readonly isQuiet?: (atMs: number) => boolean;
}

/** A destination, or the browser of a person. */
export type AnyDestination = StoredDestination<DestinationConfig | PushConfig>;

type OpenSender<Config> = (
  destination: Pick<StoredDestination<Config>, 'id' | 'config' | 'secrets'>,
  deps: SenderDeps,
) => Sender;

/** The sender of each kind that takes notices. `DESTINATION_KINDS` has all else about a kind that admins set up. */
export type Senders<Kinds extends { readonly kind: string } = DestinationConfig | PushConfig> = {
  readonly [Kind in Kinds['kind']]: OpenSender<Extract<Kinds, { readonly kind: Kind }>> | undefined;
};

const SENDERS: Senders = {
  webhook: ({ config, secrets }, deps) => openWebhook(config, secrets, deps),
  ntfy: ({ config, secrets: [token = ''] }, deps) => openNtfy(config, token, deps),
  mail: ({ config, secrets: [password = ''] }, deps) => openMail(config, password, deps),
  mqtt: ({ id, config, secrets: [password = ''] }, deps) => openMqtt(id, config, password, deps),
  cot: ({ config, secrets: [keyPem = ''] }, deps) => openCot(config, keyPem, deps),
  heartbeat: undefined,
  push: ({ config }, deps) => openPush(config, deps),
};

/** @returns `undefined` for a kind that takes no notices */
export function openSender<Config extends { readonly kind: string } = DestinationConfig | PushConfig>(
  destination: Pick<StoredDestination<Config>, 'id' | 'config' | 'secrets'>,
  deps: SenderDeps,
  senders: Senders<Config> = SENDERS as unknown as Senders<Config>,
): Sender | undefined {
  const open = senders[destination.config.kind as Config['kind']] as OpenSender<Config> | undefined;
  return open?.(destination, deps);
}

const secretsSchema = z.array(z.string());
const announcesSchema = z.array(z.enum(ANNOUNCED));
const unitsSchema = z.enum(UNIT_SYSTEMS);

/** The destinations that are on. */
export async function activeDestinations(query: Query): Promise<readonly StoredDestination[]> {
  const rows = await query
    .selectFrom('destination')
    .selectAll()
    .where('is_on', '=', 1)
    .where('removed', '=', 0)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    revision: row.revision,
    name: row.name,
    config: configOf(row),
    secrets: secretsOf(row),
    units: unitsOf(row),
    timeZone: row.time_zone,
  }));
}

export function configOf({ config }: Pick<Tables['destination'], 'config'>): DestinationConfig {
  return destinationConfigSchema.parse(JSON.parse(config));
}

export function announcesOf({ announces }: Pick<Tables['destination'], 'announces'>) {
  return announcesSchema.parse(JSON.parse(announces));
}

export function secretsOf({ secrets }: Pick<Tables['destination'], 'secrets'>): readonly string[] {
  return secretsSchema.parse(JSON.parse(secrets));
}

export function unitsOf({ units }: Pick<Tables['destination'], 'units'>): UnitSystem {
  return unitsSchema.parse(units);
}
