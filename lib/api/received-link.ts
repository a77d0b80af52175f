import { parseAddress } from './address-state.ts';

/** Parameters that newsletters and social networks add. */
const TRACKING = /^(utm_\w+|\w*clid|mc_[ce]id|igshid?|_gl|_h(enc|smi)|ref_src)$/i;

/** Encoded or not: no value of a link contains them. */
const SPACES = /\s|%(0[9ad]|20|c2%a0|e2%80%8[b-f]|ef%bb%bf)|[\u00A0\u200B-\u200F\uFEFF]/gi;

/** Characters that belong to the sentence around the link. */
const AFTER_LINK = /([.,;:!?)\]}>"'’”»*]|%(29|5d|7d|3e|22|27|2e|2c|3b))+$/i;

/** Without an upper bound, such as `agl=500..` in earlier links. */
const OPEN_RANGE = /=-?\d+(\.\d+)?\.\.(?=[^&]*$)/;

/**
 * For links from chat and mail programs: HTML entities, repeated encoding, spaces, line breaks, punctuation, tracking.
 * Intact links stay unchanged.
 * @param search with or without its question mark
 */
export function mendedLink(search: string): string {
  const query = unwrapped(search.replace(/^\?/, ''));
  const parameters = query
    .split('&')
    .filter((parameter) => parameter !== '' && !TRACKING.test(parameter.split('=', 1)[0] ?? ''));
  return parameters.length === 0 ? '' : `?${parameters.join('&')}`;
}

function unwrapped(query: string): string {
  let text = query;
  // Each program may encode once more. No value contains an encoded percent sign.
  while (/%25/.test(text)) text = text.replaceAll('%25', '%');
  text = text
    .replace(/%26/g, '&')
    .replace(/%3D/gi, '=')
    .replace(/&(amp(;|%3B))+/gi, '&')
    .replace(SPACES, '')
    // Plus is a space too, except before a time zone's hours.
    .replace(/\+(?!\d\d(:|%3A)\d\d)/gi, '');
  const openRange = OPEN_RANGE.exec(text);
  const end = openRange ? openRange.index + openRange[0].length : 0;
  return text.slice(0, end) + text.slice(end).replace(AFTER_LINK, '');
}

/** Contract, "Position". */
const WHOLE_REFERENCE = /-[AD]-[0-9A-F]{16}$/;

/**
 * @param search mended
 * @returns the last parameter if a program cut it
 */
export function incompleteEnd(search: string): string | undefined {
  const last = search.replace(/^\?/, '').split('&').at(-1) ?? '';
  const [name = '', value] = last.split('=');
  const isIncomplete =
    name === 'sel' ? !WHOLE_REFERENCE.test(value ?? '') : parseAddress(search).ignored.includes(name);
  return last !== '' && isIncomplete ? last : undefined;
}
