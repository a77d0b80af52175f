/**
 * Guards against the library, which buffers packets of up to 256 MiB. Layout: MQTT 3.1.1, 2.2.
 * @returns a function that tells whether a packet that is too long has begun
 */
export function makeMqttPacketMeter(packetMaxBytes: number): (chunk: Uint8Array) => boolean {
  let part: 'type' | 'length' | 'rest' = 'type';
  let lengthShift = 0;
  let restBytes = 0;
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (part === 'rest') {
        const skipped = Math.min(restBytes, chunk.length - at);
        restBytes -= skipped;
        at += skipped;
        if (restBytes === 0) part = 'type';
        continue;
      }
      const byte = chunk[at]!;
      at += 1;
      if (part === 'type') {
        part = 'length';
        lengthShift = 0;
        restBytes = 0;
        continue;
      }
      restBytes += (byte & 0x7f) * 2 ** lengthShift;
      lengthShift += 7;
      const isLast = byte < 0x80;
      if (restBytes > packetMaxBytes || (!isLast && lengthShift >= 28)) return true;
      if (isLast) part = restBytes === 0 ? 'type' : 'rest';
    }
    return false;
  };
}
