// The media of app/globals.css. The first request needs them before the code of the page.
/** Phones and upright tablets have a sheet. */
export const SHEET_WIDTHS = '(max-width: 740px), (max-width: 960px) and (orientation: portrait)';

/** Phones on their side and windows at a high zoom start with parts closed. */
export const LOW_SCREENS = '(max-height: 480px)';
