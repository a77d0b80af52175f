const NEWLINE = 10;
const RETURN = 13;

export interface LineSplitter {
  push(chunk: Uint8Array): void;
}

export interface LineHandlers {
  /** A line without its end. Empty ones, which some programs send to show that they live, are left out. */
  readonly line: (line: Uint8Array) => void;
  /** A line was longer than allowed; it is dropped whole. */
  readonly tooLong: () => void;
}

/** Cuts a stream of bytes into lines, and holds no more than `lineMaxBytes` of it. Lines end in \n or \r\n. */
export function makeLineSplitter(lineMaxBytes: number, { line, tooLong }: LineHandlers): LineSplitter {
  let buffered: Uint8Array[] = [];
  let bufferedBytes = 0;
  let isDropping = false;

  function hold(part: Uint8Array): void {
    if (isDropping) return;
    bufferedBytes += part.length;
    if (bufferedBytes > lineMaxBytes) {
      isDropping = true;
      buffered = [];
      tooLong();
    } else if (part.length > 0) {
      // A copy: the stream may use its buffer again, and a short part would keep all of it.
      buffered.push(Uint8Array.from(part));
    }
  }

  function end(part: Uint8Array): void {
    const isLong = bufferedBytes + part.length > lineMaxBytes;
    if (!isDropping && isLong) tooLong();
    if (!isDropping && !isLong) {
      const whole = buffered.length === 0 ? part : Buffer.concat([...buffered, part]);
      const length = whole.at(-1) === RETURN ? whole.length - 1 : whole.length;
      if (length > 0) line(whole.subarray(0, length));
    }
    buffered = [];
    bufferedBytes = 0;
    isDropping = false;
  }

  return {
    push(chunk) {
      let start = 0;
      for (;;) {
        const newline = chunk.indexOf(NEWLINE, start);
        if (newline === -1) break;
        end(chunk.subarray(start, newline));
        start = newline + 1;
      }
      hold(chunk.subarray(start));
    },
  };
}
