'use client';

import { ChevronDown, ChevronUp } from 'lucide-react';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';

/** Reserved height: the map never moves. Notices that don't fit are one click away. */
export function NoticeStrip({ children }: { readonly children: ReactNode }) {
  const items = useRef<HTMLDivElement>(null);
  const [isCut, setCut] = useState(false);
  const [isOpen, setOpen] = useState(false);

  useLayoutEffect(() => {
    const element = items.current;
    if (!element) return;
    const measure = () => {
      const strip = element.parentElement;
      if (!strip) return;
      // Without the button, since notices may fit only in its place.
      strip.dataset.measuring = '';
      setCut(element.scrollHeight > strip.clientHeight);
      delete strip.dataset.measuring;
    };
    measure();
    const sizes = new ResizeObserver(measure);
    const contents = new MutationObserver(measure);
    sizes.observe(element);
    contents.observe(element, { childList: true, characterData: true, subtree: true });
    return () => {
      sizes.disconnect();
      contents.disconnect();
    };
  }, []);

  const isExpanded = isOpen && isCut;
  const Chevron = isExpanded ? ChevronUp : ChevronDown;
  return (
    <div className="strip" data-open={isExpanded}>
      {/* Keys scroll it. */}
      <div ref={items} className="strip-items" {...(isExpanded && { tabIndex: 0 })}>
        {children}
      </div>
      {isCut && (
        <Button
          look="quiet"
          shape="small-text"
          aria-expanded={isExpanded}
          className="strip-more"
          onClick={() => setOpen(!isOpen)}
        >
          <span className="phone:sr-only">{isExpanded ? 'Less' : 'More'}</span>
          <Chevron aria-hidden size={14} />
        </Button>
      )}
    </div>
  );
}
