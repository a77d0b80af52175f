const NEWLINE = 10;
const RETURN = 13;

interface LineHandlers {
  /** A line comes without its end. Empty lines are keep-alives, and skipped. */
  readonly line: (line: Uint8Array) => void;
  readonly tooLong: () => void;
}

/** Splits at \n, \r\n or \r. Holds at most `lineMaxBytes`. */
export function makeLineSplitter(lineMaxBytes: number, { line, tooLong }: LineHandlers): (chunk: Uint8Array) => void {
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
      // A copy is kept: the stream may reuse its buffer, and a part would retain all of it.
      buffered.push(Uint8Array.from(part));
    }
  }

  function end(part: Uint8Array): void {
    const isLong = bufferedBytes + part.length > lineMaxBytes;
    if (!isDropping && isLong) tooLong();
    if (!isDropping && !isLong) {
      const whole = buffered.length === 0 ? part : Buffer.concat([...buffered, part]);
      if (whole.length > 0) line(whole);
    }
    buffered = [];
    bufferedBytes = 0;
    isDropping = false;
  }

  return (chunk) => {
    let start = 0;
    let newline = chunk.indexOf(NEWLINE);
    let carriageReturn = chunk.indexOf(RETURN);
    while (newline !== -1 || carriageReturn !== -1) {
      const isReturn = newline === -1 || (carriageReturn !== -1 && carriageReturn < newline);
      const at = isReturn ? carriageReturn : newline;
      end(chunk.subarray(start, at));
      start = at + 1;
      if (isReturn) carriageReturn = chunk.indexOf(RETURN, start);
      else newline = chunk.indexOf(NEWLINE, start);
    }
    hold(chunk.subarray(start));
  };
}
