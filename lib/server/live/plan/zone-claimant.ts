import 'server-only';

/** All zones together, where shares of the allowance are by operator. Ids of operators begin with a letter or a digit. */
export const ZONES = '(zones)';
