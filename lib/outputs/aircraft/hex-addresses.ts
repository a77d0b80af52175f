/** The `~` marks an address that is none of ICAO's. */
const ADDRESSES = 0x1000000;

/**
 * An address of 24 bits for each reference, no two alike. Without a collision it depends on the reference alone; of
 * references that collide, the first in code point order has the address that it has alone.
 */
export function hexAddresses(references: Iterable<string>): ReadonlyMap<string, string> {
  const addresses = new Map<string, string>();
  const taken = new Set<number>();
  for (const reference of [...new Set(references)].sort()) {
    let address = hash(reference);
    for (let again = 1; taken.has(address); again++) address = hash(`${reference} ${again}`);
    taken.add(address);
    addresses.set(reference, `~${address.toString(16).padStart(6, '0')}`);
  }
  return addresses;
}

/** FNV-1a with the finish of MurmurHash3. */
function hash(text: string): number {
  let bits = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) bits = Math.imul(bits ^ text.charCodeAt(index), 0x01000193);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) % ADDRESSES;
}
