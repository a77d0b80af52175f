import { type Camera, liveAddress, parseAddress } from '#lib/api/address-state.ts';
import { COMPACT_LIVE_TYPE } from '#lib/api/compact-answer.ts';
import { mendedLink } from '#lib/api/received-link.ts';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { formatLonLat } from '#lib/geo/bbox.ts';
import { mercatorY } from '#lib/geo/mercator.ts';
import { LAYERS } from '#lib/model/position.ts';
import { LOW_SCREENS, SHEET_WIDTHS } from '../browser/screens.ts';
import { preferencesKey } from '../page/preferences.ts';

interface FirstView {
  /** Query of the page's address; empty without one. */
  readonly address: string;
  /** Query of the operator's start view. */
  readonly start: string | undefined;
  /** The view where neither has one. */
  readonly home: Camera;
  readonly operator: string | undefined;
}

/**
 * The script that sends the first live request with the page, before the page's other scripts arrive. The server knows
 * the view and this browser the window: the size of the map that follows is within the margin of a request. In the
 * language of browsers from before 2015, like the check of the browser.
 * @returns `undefined` for a page that begins without a live request
 */
export function firstRequestScript({ address, start = '', home, operator }: FirstView): string | undefined {
  const { state } = parseAddress(mendedLink(address === '' ? liveAddress(start).slice(1) : address));
  const { lon, lat, zoom, bearingDeg } = state.view ?? home;
  const layers = LAYERS.filter((layer) => state.layers?.has(layer) ?? true).join(',');
  if (state.replay || layers === '') return undefined;
  const preferences = [preferencesKey(operator), preferencesKey(undefined)];
  const centre = formatLonLat({ lon, lat });
  const first = { lon, y: mercatorY(lat), zoom, bearingDeg, centre, layers, preferences };
  return `(${SEND})(${JSON.stringify(first).replaceAll('<', '\\u003c')});`;
}

/** The map's view is that of lib/geo/view-box.ts, and its margin that of `requestedArea`. */
const SEND = `function (first) {
  try {
    if (document.visibilityState !== 'visible') return;
    var read = function (storage, key) {
      try { return JSON.parse(window[storage].getItem(key)); } catch (error) { return null; }
    };
    var preferences = null;
    first.preferences.forEach(function (key) { preferences = preferences || read('localStorage', key); });
    preferences = preferences || {};
    var ofWindow = read('sessionStorage', 'lookout.window-preferences') || {};
    var isOpen = 'panelOpen' in ofWindow ? ofWindow.panelOpen : preferences.panelOpen !== false;
    var hasSheet = matchMedia('${SHEET_WIDTHS}').matches;
    var isLow = matchMedia('${LOW_SCREENS}').matches;
    if (isLow) isOpen = false;
    var sheet = read('sessionStorage', 'lookout.window.sheet');
    var width = innerWidth - (hasSheet ? 0 : (isLow ? 0 : 45) + (isOpen ? (innerWidth > 960 ? 372 : 320) : 41));
    var height = innerHeight - 49 - (hasSheet ? 51 : 29 + 37);
    if (hasSheet) height -= sheet === 'half' || sheet === 'full' ? 0.45 * (innerHeight - 49) : 73 + 37;
    if (width < 1 || height < 1) return;

    var turn = first.bearingDeg * Math.PI / 180;
    var cos = Math.abs(Math.cos(turn)), sin = Math.abs(Math.sin(turn));
    var worldPx = 512 * Math.pow(2, first.zoom);
    var halfDeg = (width * cos + height * sin) / 2 / worldPx * 360;
    var halfY = (width * sin + height * cos) / 2 / worldPx;
    var y = first.y;
    // A map of the whole world has other limits.
    if (halfDeg > 160 || !(y - halfY > 0 && y + halfY < 1)) return;
    var latOf = function (at) { return Math.atan(Math.sinh(Math.PI * (1 - 2 * at))) * 180 / Math.PI; };
    var south = latOf(y + halfY), north = latOf(y - halfY);
    var margin = function (span) { return Math.min(span / 10, Math.max(0, ${LIVE_MAX_SPAN_DEG} - span) / 2) / 2; };
    var ofLat = margin(north - south), ofLon = halfDeg + margin(2 * halfDeg);
    var west = first.lon - ofLon, east = first.lon + ofLon;
    var box = [west < -180 ? west + 360 : west, south - ofLat, east > 180 ? east - 360 : east, north + ofLat];
    var written = function (values) {
      return values.map(function (value) { return Math.round(value * 1e6) / 1e6; }).join(',');
    };

    var page = Array.prototype.map.call(crypto.getRandomValues(new Uint8Array(16)), function (byte) {
      return (byte + 256).toString(16).slice(1);
    }).join('');
    var query = { bbox: written(box), centre: first.centre, layers: first.layers, page: page };
    var area = preferences.homeArea;
    if (area) query.home = written([area.west, area.south, area.east, area.north]);
    var abort = new AbortController();
    var sentMs = performance.now();
    var answer = fetch('/api/live?' + new URLSearchParams(query), {
      cache: 'no-store', redirect: 'error', signal: abort.signal, headers: { accept: '${COMPACT_LIVE_TYPE}' }
    }).then(function (response) {
      var headersMs = performance.now();
      return response.arrayBuffer().then(function (body) {
        return { status: response.status, headers: Array.from(response.headers), body: body, headersMs: headersMs };
      });
    });
    // The page reports its failure when it takes the answer.
    answer.catch(function () {});
    window.lookoutFirstRequest = { query: query, sentMs: sentMs, answer: answer, abort: abort };
  } catch (error) {
    // The page sends the request itself.
  }
}`;
