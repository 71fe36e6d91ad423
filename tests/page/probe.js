// What a person does with the page, as events; what it answers stands in the element #probe. Run behind the page's own script.
(async () => {
  const said = {}, canvas = document.getElementById('canvas'), find = document.getElementById('find');
  const data = JSON.parse(document.getElementById('data').textContent);
  const facts = () => document.getElementById('facts').textContent, picture = () => canvas.toDataURL();
  const box = canvas.getBoundingClientRect();
  const mouse = (target, kind, x, y, more) => target.dispatchEvent(new MouseEvent(kind, { bubbles: true, clientX: box.left + x, clientY: box.top + y, ...more }));
  const key = (target, name) => target.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, key: name }));
  const changes = act => { const before = picture(); act(); return picture() !== before; };
  const middle = 150 + (canvas.clientWidth - 150) / 2;
  said.drawn = canvas.clientWidth > 300 && changes(() => key(canvas, '+'));
  said.back = changes(() => key(canvas, '0'));
  said.wheel = changes(() => canvas.dispatchEvent(new WheelEvent('wheel', { bubbles: true, cancelable: true, deltaY: -100, clientX: box.left + middle, clientY: box.top + 40 })));
  said.drag = changes(() => { mouse(canvas, 'mousedown', middle, 60); mouse(window, 'mousemove', middle + 80, 60); mouse(canvas, 'mouseup', middle + 80, 60); });
  said.arrows = changes(() => key(canvas, 'ArrowRight'));
  key(canvas, '0');
  // each lane's longest work, searched for by its name, is found and described
  const lane = data.lanes.findIndex(l => l.spans.length && data.styles[l.spans[2]] && l.spans.some((v, i) => i % 6 === 2 && data.styles[v].works));
  let i = 0;
  const spans = data.lanes[lane].spans;
  for (let k = 0; k < spans.length; k += 6) if (data.styles[spans[k + 2]].works && (!data.styles[spans[i + 2]].works || spans[k + 1] > spans[i + 1])) i = k;
  find.value = data.names[spans[i + 3]];
  key(find, 'Enter');
  said.found = /^[1-9]\d* found$/.test(document.getElementById('found').textContent);
  said.described = facts().toLowerCase().includes(find.value.toLowerCase());
  said.next = changes(() => key(canvas, 'n')) || document.getElementById('found').textContent === '1 found';
  // a click in the midst of the longest span that is seen of the first rows picks it
  key(canvas, '0');
  const wide = canvas.clientWidth - 150, rows = Math.min(data.lanes.length, Math.floor((canvas.clientHeight - 24) / 20));
  let best = null;
  for (let row = 0; row < rows; row++) for (let k = 0; k < data.lanes[row].spans.length; k += 6)
    if (!best || data.lanes[row].spans[k + 1] > best.length) best = { row, k, length: data.lanes[row].spans[k + 1] };
  const s = data.lanes[best.row].spans, ns = s[best.k] + s[best.k + 1] / 2;
  const x = 150 + (ns - data.from) / (data.to - data.from) * wide, y = 24 + best.row * 20 + 8;
  mouse(canvas, 'mousedown', x, y); mouse(canvas, 'mouseup', x, y);
  said.clicked = facts().includes(data.names[s[best.k + 3]]);
  const blamed = document.querySelector('#facts a');
  said.blamed = blamed ? (blamed.click(), facts().length > 0) : true;
  said.network = performance.getEntriesByType('resource').length === 0;
  said.errors = window.probe_errors;
  const out = document.createElement('pre');
  out.id = 'probe';
  out.textContent = JSON.stringify(said);
  document.body.append(out);
})();
