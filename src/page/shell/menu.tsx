/** A quiet menu: a word that opens a panel below it. It closes by escape, and when somebody goes on elsewhere. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface MenuProps {
  readonly label: string;
  readonly onOpen?: () => void;
  readonly children?: ComponentChildren;
}

export function Menu({ label, onOpen, children }: MenuProps) {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = ({ target }: Event) => {
      const { current } = menu;
      if (current !== null && target instanceof Node && !current.contains(target)) current.open = false;
    };
    document.addEventListener('pointerdown', close);
    document.addEventListener('focusin', close);
    return () => {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('focusin', close);
    };
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    const { current } = menu;
    if (event.key !== 'Escape' || current === null || !current.open) return;
    // The key would close what lies behind the menu as well.
    event.stopPropagation();
    current.open = false;
    current.querySelector('summary')?.focus();
  };
  return (
    <details
      ref={menu}
      class="menu"
      onKeyDown={onKeyDown}
      onToggle={({ currentTarget }) => currentTarget.open && onOpen?.()}
    >
      <summary class="button quiet">{label}</summary>
      <div class="menu-panel">{children}</div>
    </details>
  );
}
