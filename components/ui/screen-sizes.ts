/** Screens whose panel is a sheet: phones, and tablets held upright. app/globals.css has the same widths. */
export const SHEET_WIDTHS = '(max-width: 740px), (max-width: 960px) and (orientation: portrait)';

/** Phones on their side, and windows at a high zoom: what can start closed does. */
export const LOW_SCREENS = '(max-height: 480px)';
