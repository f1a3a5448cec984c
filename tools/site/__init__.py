"""The documentation as a site: `make site`.

docs/ is written to be read in the repository. `stage` copies it to build/site-source, adds the reference, which is
made from the code, and bends links that leave docs/; zensical turns that into pages by mkdocs.yml;
`links` checks every link of the pages, and that nothing is loaded from elsewhere.
"""
