"""What turns a chapter's source into notebooks, and proves its exercises; author.building is the way in."""
