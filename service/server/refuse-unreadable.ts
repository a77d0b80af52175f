import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { refusalAnswer } from '../http/answer.ts';
import { Refusal } from '../http/refusal.ts';
import { commonHeaders } from '../http/send-answer.ts';

export function refuseUnreadable(socket: Duplex): void {
  refuseOnSocket(socket, new Refusal('invalid_request', 'The request is not valid HTTP, or its headers are too long.'));
}

/** node:http passes a raw socket for CONNECT. */
export function refuseConnect(socket: Duplex): void {
  refuseOnSocket(socket, new Refusal('method_not_allowed', 'The operations are read-only: use GET.', { allow: 'GET' }));
}

function refuseOnSocket(socket: Duplex, refusal: Refusal): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = refusalAnswer(refusal, randomUUID());
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...commonHeaders(body.request_id as string),
    ...headers,
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', text].join('\r\n'));
}
