"""What turns a chapter's source into notebooks, and proves its exercises; utils.notebooks is the way in."""
