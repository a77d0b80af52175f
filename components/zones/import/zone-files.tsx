'use client';

import { Download, Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import type { PricedZone } from '#lib/api/watching/zones.ts';
import { useMay } from '#lib/client/page/lookout-context.tsx';
import { Button } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { saveFile } from '../../ui/save-file.ts';
import type { ImportedFile } from './import-page.tsx';

interface ZoneFilesProps {
  readonly zones: readonly PricedZone[];
  readonly onFile: (file: ImportedFile) => void;
}

/** Takes a file of zones for an import, and makes files of all zones. */
export function ZoneFiles({ zones, onFile }: ZoneFilesProps) {
  const mayWatch = useMay('watch');
  const picker = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  const read = async (file: File) => {
    setProblem(undefined);
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      onFile({ name: file.name, bytes, importedAt: new Date().toISOString() });
    } catch {
      setProblem('The file could not be read.');
    }
  };
  const save = async (kind: 'geojson' | 'kml') => {
    setProblem(undefined);
    const all = zones.map(({ zone }) => zone);
    try {
      const text =
        kind === 'kml'
          ? (await import('#lib/zones/formats/kml.ts')).writeKml(all)
          : (await import('#lib/zones/formats/geojson.ts')).writeGeojson(all);
      const type = kind === 'kml' ? 'application/vnd.google-earth.kml+xml' : 'application/geo+json';
      saveFile(new Blob([text], { type }), `lookout-zones.${kind}`);
    } catch {
      setProblem('The file of zones could not be made. Try again.');
    }
  };
  return (
    <>
      {mayWatch && (
        <>
          <Button onClick={() => picker.current?.click()}>
            <Upload aria-hidden size={14} />
            Import
          </Button>
          <input
            ref={picker}
            type="file"
            accept=".geojson,.geojsonl,.ndjson,.json,.kml,.xml,.txt,.openair,.air"
            aria-label="File of zones: GeoJSON, KML, ED-269, ED-318 or OpenAir"
            className="hidden"
            onChange={(event) => {
              const [file] = event.target.files ?? [];
              if (file) void read(file);
              // A corrected file can be chosen again.
              event.target.value = '';
            }}
          />
        </>
      )}
      {zones.length > 0 && (
        <Menu
          trigger={
            <Button>
              <Download aria-hidden size={14} />
              Export
            </Button>
          }
        >
          <MenuItem onSelect={() => void save('geojson')}>All zones as GeoJSON</MenuItem>
          <MenuItem onSelect={() => void save('kml')}>All zones as KML</MenuItem>
        </Menu>
      )}
      {problem !== undefined && (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
    </>
  );
}
