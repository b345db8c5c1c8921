// Keeps the files of the page, whose list and version the builder has written above.
/* global FILES, VERSION */
const NAME = `rowtime-playground-${VERSION}`;

addEventListener("install", event => event.waitUntil(
  caches.open(NAME)
    // Not from the browser's own cache, which may have those of another version.
    .then(cache => cache.addAll(FILES.map(each => new Request(each, { cache: "no-cache" }))))
    .then(() => skipWaiting()),
));

addEventListener("activate", event => event.waitUntil(
  caches.keys()
    .then(names => Promise.all(names
      .filter(each => each.startsWith("rowtime-playground-") && each !== NAME)
      .map(each => caches.delete(each))))
    .then(() => clients.claim()),
));

addEventListener("fetch", event => event.respondWith(
  caches.open(NAME)
    .then(cache => cache.match(event.request, { ignoreSearch: true }))
    .then(found => found ?? fetch(event.request)),
));
