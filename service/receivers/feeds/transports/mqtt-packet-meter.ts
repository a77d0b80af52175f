/** Follows the packets in a stream of MQTT by their headers, without keeping any of it. */
export interface MqttPacketMeter {
  /** @returns whether a packet begins in the chunk, or in what came before, that is longer than allowed */
  isTooLong(chunk: Uint8Array): boolean;
}

/**
 * MQTT allows packets of 256 MiB, and the library keeps each one until it is whole.
 * A packet is a byte for its type, its remaining length in one to four bytes of seven bits, lowest first, and the rest
 * (MQTT 3.1.1, 2.2).
 */
export function makeMqttPacketMeter(packetMaxBytes: number): MqttPacketMeter {
  let part: 'type' | 'length' | 'rest' = 'type';
  let lengthShift = 0;
  let restBytes = 0;
  return {
    isTooLong(chunk) {
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
    },
  };
}
