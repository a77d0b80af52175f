import type { FeedWords } from './feed-words.ts';
import { isGzip } from './transports/http-exchange.ts';

const HEAD_BYTES = 64 * 1024;

/** Completes "the feed is connected, but …" for a message in another format. */
export function describeAnswer(message: string | Uint8Array, words: FeedWords): string {
  return describeBytes(message) ?? describeText(headOf(message), words);
}

function describeBytes(message: string | Uint8Array): string | undefined {
  if (message.length === 0) return 'its answer is empty';
  if (typeof message === 'string') return undefined;
  if (isGzip(message)) return 'it sends gzip that cannot be unpacked';
  if (isBeast(message)) return 'it sends Beast, which is not read: take another port of the receiver';
  if (isTls(message)) return 'it speaks TLS, which is not read there: take its port without TLS';
  if (message.subarray(0, HEAD_BYTES).includes(0)) return 'it sends bytes that are not text: compressed, or a picture';
  return undefined;
}

/** An escape and the type of a message. Lines begin anywhere in it. */
export function isBeast(message: string | Uint8Array): boolean {
  if (typeof message === 'string') return false;
  const at = message.indexOf(0x1a);
  const type = at === -1 ? undefined : message[at + 1];
  return at === 0 || (type !== undefined && type >= 0x31 && type <= 0x34);
}

/** An alert, which answers text. */
function isTls(message: Uint8Array): boolean {
  return message[0] === 0x15 && message[1] === 3;
}

function describeText(text: string, words: FeedWords): string {
  if (/^\s*$/.test(text)) return 'its answer is empty';
  if (/^\s*</.test(text)) return describePage(text, words);
  if (/^\s*[[{]/.test(text)) return words.json(text);
  if (/^\s*(MSG|SEL|ID|AIR|STA|CLK),/.test(text)) return words.sbs;
  if (/^\s*[*@][0-9A-Fa-f]{14,}/.test(text)) return 'it sends raw messages (AVR), which are not read';
  if (/^\s*[-+][0-9A-Fa-f]{20,}/.test(text))
    return 'it sends raw messages of UAT, which are not read: take the JSON port';
  if (/^HTTP\/\d/.test(text)) return 'a web server answers there: write http:// before its address';
  if (text.includes('\uFFFD')) return 'it sends bytes that are not text: compressed, or a picture';
  return `it sends text that is not ${words.expected === 'SBS lines' ? 'SBS lines' : 'JSON'}`;
}

function describePage(text: string, { expected }: FeedWords): string {
  if (/type\s*=\s*["']?password/i.test(text)) return 'it answers with a sign-in page';
  if (/^\s*<\?xml(?![\s\S]*<html)/i.test(text)) return `it answers with XML, not with ${expected}`;
  return `it answers with a web page, not with ${expected}`;
}

function headOf(message: string | Uint8Array): string {
  return typeof message === 'string'
    ? message.slice(0, HEAD_BYTES)
    : new TextDecoder().decode(message.subarray(0, HEAD_BYTES));
}
