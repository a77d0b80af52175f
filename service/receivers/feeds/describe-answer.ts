import { isGzip } from './transports/http-exchange.ts';

const HEAD_BYTES = 64 * 1024;

/** Completes "the feed is connected, but …" for a message in another format. */
export function describeAnswer(message: string | Uint8Array): string {
  return describeBytes(message) ?? describeText(headOf(message)) ?? 'it sends something other than a list of positions';
}

/** `undefined` if this may just be a quiet hour. */
export function describeRows(message: string | Uint8Array): string | undefined {
  const text = headOf(message);
  if (/"lat"\s*:\s*-?\d/.test(text) && !/"(seen_pos|seen)"\s*:/.test(text))
    return 'its aircraft have no "seen_pos": the age of their positions is not known, so they are not served';
  return undefined;
}

function describeBytes(message: string | Uint8Array): string | undefined {
  if (message.length === 0) return 'its answer is empty';
  if (typeof message === 'string') return undefined;
  if (isGzip(message)) return 'it sends gzip that cannot be unpacked';
  if (message[0] === 0x1a) return 'it sends Beast, which is not read: take another port of the receiver';
  if (message.subarray(0, HEAD_BYTES).includes(0)) return 'it sends bytes that are not text: compressed, or a picture';
  return undefined;
}

function describeText(text: string): string | undefined {
  if (/^\s*$/.test(text)) return 'its answer is empty';
  if (/^\s*</.test(text)) return describePage(text);
  if (/^\s*[[{]/.test(text)) return describeJson(text);
  if (/^\s*(MSG|SEL|ID|AIR|STA|CLK),/.test(text)) return 'it sends SBS lines: write sbs:// before its address';
  if (/^\s*[*@][0-9A-Fa-f]{14,}/.test(text)) return 'it sends raw messages (AVR), which are not read';
  if (/^\s*[-+][0-9A-Fa-f]{20,}/.test(text))
    return 'it sends raw messages of UAT, which are not read: take the JSON port';
  if (/^HTTP\/\d/.test(text)) return 'a web server answers there: write http:// before its address';
  if (text.includes('\uFFFD')) return 'it sends bytes that are not text: compressed, or a picture';
  return 'it sends text that is not JSON';
}

function describePage(text: string): string {
  if (/type\s*=\s*["']?password/i.test(text)) return 'it answers with a sign-in page';
  if (/^\s*<\?xml(?![\s\S]*<html)/i.test(text)) return 'it answers with XML, not with aircraft.json';
  return 'it answers with a web page, not with aircraft.json';
}

function describeJson(text: string): string {
  if (/^\s*\[/.test(text)) {
    return /"hex"\s*:/.test(text)
      ? 'it answers with a list of an old dump1090 that cannot be read'
      : 'it answers with a JSON list without aircraft';
  }
  if (/"(aircraft|ac|drones)"\s*:/.test(text)) {
    return /"now"\s*:/.test(text) || /"drones"\s*:/.test(text)
      ? 'its answer is damaged or cut: JSON that cannot be read'
      : 'its answer does not say when it was written: "now" is missing';
  }
  if (/"hex"\s*:/.test(text)) return 'it sends aircraft as JSON, in a form that is not read here';
  return 'it answers with JSON about something else: it has no "aircraft"';
}

function headOf(message: string | Uint8Array): string {
  return typeof message === 'string'
    ? message.slice(0, HEAD_BYTES)
    : new TextDecoder().decode(message.subarray(0, HEAD_BYTES));
}
