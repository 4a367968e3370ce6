// Elements and figures for all pages. Text is only ever set as text: nothing here parses HTML.

// element('p', 'quiet', 'some text', otherElement …); a falsy class or child is left out.
export function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export function link(href, className, ...children) {
  const made = element('a', className, ...children);
  made.href = href;
  return made;
}

export function svg(name, attributes, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// A bar of parts of `whole`: [[part, class], …] side by side. Decoration: what it shows stands beside it as text.
export function bar(whole, parts) {
  const drawn = svg('svg', { class: 'bar', viewBox: '0 0 100 6', preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  drawn.append(svg('rect', { class: 'track', width: 100, height: 6 }));
  let x = 0;
  for (const [part, className] of parts) {
    const width = whole > 0 ? Math.min(100 - x, (100 * part) / whole) : 0;
    drawn.append(svg('rect', { class: className, x, width, height: 6 }));
    x += width;
  }
  return drawn;
}

export const count = (value) => value.toLocaleString('en');
export const plural = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

export function milliseconds(ms) {
  return `${ms < 10 ? ms.toFixed(2) : ms < 100 ? ms.toFixed(1) : count(Math.round(ms))} ms`;
}

export function bytes(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  for (; value >= 1024 && unit + 1 < units.length; ++unit) value /= 1024;
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
