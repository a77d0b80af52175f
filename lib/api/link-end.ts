import { parseAddress } from './address-state.ts';

/** The end of a whole reference (contract, "Position"). */
const WHOLE_REFERENCE = /-[AD]-[0-9A-F]{16}$/;

/**
 * @param search the query of a link, mended
 * @returns the last parameter of the link where it is incomplete, as when a program cut the link; `undefined` where it is whole
 */
export function incompleteEnd(search: string): string | undefined {
  const last = search.replace(/^\?/, '').split('&').at(-1) ?? '';
  const [name = '', value] = last.split('=');
  const isIncomplete =
    name === 'sel' ? !WHOLE_REFERENCE.test(value ?? '') : parseAddress(search).ignored.includes(name);
  return last !== '' && isIncomplete ? last : undefined;
}
