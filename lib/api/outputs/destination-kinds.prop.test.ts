import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DestinationConfig, movesSecret } from './destination-kinds.ts';

const host = fc.constantFrom('a.example', 'A.example', 'b.example', 'a.example.b.example', '[::1]', '127.0.0.1');
const port = fc.constantFrom(80, 443, 587, 1883, 8883);
const isEncrypted = fc.boolean();
const rest = fc.constantFrom('', '/x', '/y?z=1');
const place = fc.record({ host, port, isEncrypted, rest });
type Place = typeof place extends fc.Arbitrary<infer Value> ? Value : never;

const mail = { kind: 'mail' as const, user: '', ca_pem: '', from: 'a@b.ch', to: ['c@d.ch'] };
const mqtt = { kind: 'mqtt', user: '', topic: 't', discovery_topic: 'd', ca_pem: '' } as const;
const KINDS: readonly ((of: Place) => DestinationConfig)[] = [
  (of) => ({ kind: 'webhook', url: `http${of.isEncrypted ? 's' : ''}://${of.host}:${of.port}${of.rest}` }),
  (of) => ({ kind: 'ntfy', priority: 4, url: `http${of.isEncrypted ? 's' : ''}://${of.host}:${of.port}${of.rest}` }),
  (of) => ({ kind: 'heartbeat', url: `http${of.isEncrypted ? 's' : ''}://${of.host}:${of.port}${of.rest}` }),
  (of) => ({ ...mqtt, url: `mqtt${of.isEncrypted ? 's' : ''}://${of.host}:${of.port}` }),
  (of) => ({ ...mail, host: of.host, port: of.port, security: of.isEncrypted ? 'starttls' : 'none' }),
];

test('a secret moves with the host, the port and the end of encryption, and with nothing else, in every kind', () => {
  const moves = (before: Place, after: Place) =>
    before.host.toLowerCase() !== after.host.toLowerCase() ||
    before.port !== after.port ||
    (before.isEncrypted && !after.isEncrypted);
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), place, place, (kind, before, after) => {
      expect(movesSecret(kind(before), kind(after))).toBe(moves(before, after));
    }),
  );
});
